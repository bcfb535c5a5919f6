namespace App.Data
{
    class Other
    {
        public void Put(int n) { }
    }

    class Variables
    {
        void Declared(object found)
        {
            Store store = Convert(found);
            store.Put(1);
        }

        void Each(object all)
        {
            foreach (Store one in all) one.Put(1);
        }
    }
}
