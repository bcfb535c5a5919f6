<?php
namespace App;

use App\Data\Store;

class Runner extends Base
{
    private Store $store;

    public function run(Store $other): void
    {
        $this->store->put(1);
        $other->put(2);
        $this->stop();
        Store::make();
    }
}
