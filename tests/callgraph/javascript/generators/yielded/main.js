function work() {}
function* plan() {
  yield work;
}
function* wider() {
  yield* plan();
}
for (const step of wider()) step();
