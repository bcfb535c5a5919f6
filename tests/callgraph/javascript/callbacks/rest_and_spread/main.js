function a() {}
function b() {}
function all(...tasks) {
  for (const task of tasks) task();
}
const list = [a, b];
all(...list);
