const Point = class {
  move() {}
};
const Other = Point;
new Other().move();
