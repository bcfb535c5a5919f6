function end() {}
function inner(callback) {
  callback();
}
function outer(callback) {
  inner(callback);
}
outer(end);
