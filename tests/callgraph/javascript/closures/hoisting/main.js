start();
function start() {
  helper();
  function helper() {
    finish();
  }
}
function finish() {}
