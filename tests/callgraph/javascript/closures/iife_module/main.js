function log() {}
const api = (function () {
  function hidden() {
    log();
  }
  return { open: hidden };
})();
api.open();
