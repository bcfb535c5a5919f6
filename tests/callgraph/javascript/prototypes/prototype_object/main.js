function Queue() {}
Queue.prototype = {
  push: function () {
    this.grow();
  },
  grow: function () {},
};
new Queue().push();
