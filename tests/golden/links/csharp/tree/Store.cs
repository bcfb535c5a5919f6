namespace App.Data
{
    class Store
    {
        public void Put(int n) { Check(); }
        void Check() { }
    }
}
