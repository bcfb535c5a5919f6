<?php
namespace App\Data;

class Store
{
    public function put(int $n): void
    {
    }

    public static function make(): Store
    {
        return new Store();
    }
}
