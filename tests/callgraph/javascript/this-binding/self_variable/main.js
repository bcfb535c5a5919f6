function Widget() {
  const self = this;
  this.render = function () {};
  this.later = function () {
    self.render();
  };
}
new Widget().later();
