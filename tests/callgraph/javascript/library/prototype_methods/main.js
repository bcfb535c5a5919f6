function Stack() {
  this.items = [];
}
Stack.prototype.push = function (item) {
  this.grow();
  this.items.push(item);
};
Stack.prototype.grow = function () {};
module.exports = Stack;
