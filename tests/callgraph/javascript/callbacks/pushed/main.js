function task() {}
const queue = [];
queue.push(task);
queue.pop()();
