function make() {
  class Inner {
    go() {}
  }
  return Inner;
}
const Made = make();
const made = new Made();
made.go();
