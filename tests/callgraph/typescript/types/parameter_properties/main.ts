class Log {
  write() {}
}
class Service {
  constructor(private readonly log: Log) {}
  call() {
    this.log.write();
  }
}
new Service(new Log()).call();
