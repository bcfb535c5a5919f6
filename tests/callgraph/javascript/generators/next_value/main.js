function task() {}
function* tasks() {
  yield task;
}
const list = tasks();
list.next().value();
