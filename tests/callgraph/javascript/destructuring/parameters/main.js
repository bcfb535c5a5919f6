function hit() {}
function play({ actions: [action] }, other = hit) {
  action();
  other();
}
play({ actions: [hit] });
