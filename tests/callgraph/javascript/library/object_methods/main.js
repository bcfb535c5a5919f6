const app = (exports = module.exports = {});
app.init = function init() {
  this.set("a");
};
app.set = function set() {
  check();
};
function check() {}
