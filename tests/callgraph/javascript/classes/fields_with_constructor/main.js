class Wheel {
  constructor() {}
  turn() {}
}
class Bike {
  front = new Wheel();
  constructor() {}
  ride() {
    this.front.turn();
  }
}
new Bike().ride();
