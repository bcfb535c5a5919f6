function Person(name) {
  this.name = name;
  this.greet = function () {};
}
Person.prototype.walk = function () {
  this.breathe();
};
Person.prototype.breathe = function () {};
const ann = new Person("Ann");
ann.walk();
ann.greet();
