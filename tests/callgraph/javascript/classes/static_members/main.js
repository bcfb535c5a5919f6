class Registry {
  static create() {
    return new this();
  }
  static { Registry.prepare(); }
  static prepare() {}
  size() {}
}
Registry.create().size();
