class Cache {
  clear() {}
}
class Page {
  private cache: Cache;
  reset() {
    this.cache.clear();
  }
}
