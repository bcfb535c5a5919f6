const factorial = function again(n) {
  return n < 2 ? 1 : n * again(n - 1);
};
factorial(3);
