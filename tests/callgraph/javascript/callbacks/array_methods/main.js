function double(x) {
  return x;
}
function keep() {}
function sum() {}
const numbers = [1, 2];
numbers.map(double).filter(keep).reduce(sum, 0);
numbers.forEach((n) => double(n));
