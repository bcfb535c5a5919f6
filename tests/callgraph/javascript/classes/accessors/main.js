function warm() {}
class Oven {
  get heat() {
    warm();
    return () => {};
  }
}
const oven = new Oven();
oven.heat();
