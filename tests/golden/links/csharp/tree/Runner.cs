using App.Data;

namespace App.Web
{
    class Runner : Base
    {
        private Store store;
        void Run(Store other)
        {
            store.Put(1);
            other.Put(2);
            Stop();
            var made = new Store();
            made.Put(3);
        }
    }
}
