export function area() {}
export default class Shape {
  draw() {
    area();
  }
}
