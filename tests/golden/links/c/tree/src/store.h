void store_put(int n);
