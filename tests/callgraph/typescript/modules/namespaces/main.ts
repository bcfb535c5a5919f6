namespace Geometry {
  export function area() {
    helper();
  }
  function helper() {}
}
Geometry.area();
