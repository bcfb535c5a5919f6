function small() {}
function large() {}
function unused() {}
let size = unused;
if (process.argv.length > 2) {
  size = small;
} else {
  size = large;
}
size();
