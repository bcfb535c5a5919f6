export interface Sink {
  save(n: number): void;
}
export class Memory implements Sink {
  save(n: number): void {}
}
export class Queue {
  readonly sink: Sink;
  constructor(sink?: Sink) {
    this.sink = sink ?? new Memory();
  }
  push(): void {
    this.sink.save(1);
  }
}
