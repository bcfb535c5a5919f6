function inner() {}
const config = {
  get handler() {
    return inner;
  },
};
config.handler();
