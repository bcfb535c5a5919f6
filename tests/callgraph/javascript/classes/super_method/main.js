class Shape {
  constructor() {
    this.draw();
  }
  draw() {}
  area() {}
}
class Circle extends Shape {
  constructor() {
    super();
  }
  area() {
    super.area();
  }
}
new Circle().area();
