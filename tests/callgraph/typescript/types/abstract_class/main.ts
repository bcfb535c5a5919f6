abstract class Task {
  run() {
    this.work();
  }
  abstract work(): void;
}
class Copy extends Task {
  work() {}
}
const task: Task = new Copy();
task.run();
