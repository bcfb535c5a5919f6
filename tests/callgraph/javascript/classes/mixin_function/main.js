const Flying = (Base) =>
  class extends Base {
    fly() {
      this.breathe();
    }
  };
class Animal {
  breathe() {}
}
class Bird extends Flying(Animal) {}
new Bird().fly();
