function opened() {}
function closed() {}
let state = opened;
for (let i = 0; i < 2; i++) {
  state();
  state = closed;
}
