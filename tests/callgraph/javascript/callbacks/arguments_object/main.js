function used() {}
function apply() {
  arguments[0]();
}
apply(used);
