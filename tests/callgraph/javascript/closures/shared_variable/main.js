let current = first;
function first() {}
function second() {}
function choose() {
  current = second;
}
function run() {
  current();
}
choose();
run();
