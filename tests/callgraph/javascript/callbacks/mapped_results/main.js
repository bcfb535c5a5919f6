function leaf() {}
function make() {
  return leaf;
}
const made = [1, 2].map(make);
made[0]();
