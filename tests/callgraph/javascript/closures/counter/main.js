function step() {}
function counter() {
  function increment() {
    step();
  }
  return increment;
}
const tick = counter();
tick();
