function done() {}
const add = (a) => (b) => {
  done();
};
add(1)(2);
