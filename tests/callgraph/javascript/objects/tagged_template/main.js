function tag(strings, first) {
  first();
}
function value() {}
tag`a${value}b`;
