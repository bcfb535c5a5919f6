<?php
namespace App;

class Base
{
    public function stop(): void
    {
    }
}
