function pick(a: string): void;
function pick(a: number): void;
function pick(a: any) {
  note();
}
function note() {}
pick(1);
