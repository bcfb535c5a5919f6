export class Store {
  put(n: number) {
    this.check(n);
  }
  check(n: number) {}
}
