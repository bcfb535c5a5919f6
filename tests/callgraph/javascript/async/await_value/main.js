function task() {}
async function fetchTask() {
  return task;
}
async function run() {
  const found = await fetchTask();
  found();
}
run();
