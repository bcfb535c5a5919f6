class Left {
  name() {}
  say() {
    this.name();
  }
}
class Right {
  name() {}
}
const right = new Right();
right.say = Left.prototype.say;
right.say();
