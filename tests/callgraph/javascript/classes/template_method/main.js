class Job {
  run() {
    this.work();
  }
  work() {}
}
class Print extends Job {
  work() {}
}
new Print().run();
