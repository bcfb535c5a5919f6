const base = {
  hello() {
    this.name();
  },
  name() {},
};
const child = Object.create(base);
child.hello();
