class Log {
  write() {}
}
export class Service {
  constructor() {
    this.log = new Log();
  }
  run() {
    this.log.write();
    this.finish();
  }
  finish() {}
}
