namespace App.Web
{
    class Base
    {
        public void Stop() { }
    }
}
