class Timer {
  start() {
    setTimeout(() => this.tick(), 5);
  }
  tick() {}
}
new Timer().start();
