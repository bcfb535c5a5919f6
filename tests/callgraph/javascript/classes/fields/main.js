class Engine {
  start() {}
}
class Car {
  engine = new Engine();
  honk = () => {
    this.drive();
  };
  drive() {
    this.engine.start();
  }
}
const car = new Car();
car.honk();
