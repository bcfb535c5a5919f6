function Animal() {}
Animal.prototype.eat = function () {};
function Dog() {
  Animal.call(this);
}
Dog.prototype = Object.create(Animal.prototype);
Dog.prototype.bark = function () {
  this.eat();
};
new Dog().bark();
