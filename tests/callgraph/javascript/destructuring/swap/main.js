function left() {}
function right() {}
let a = left;
let b = right;
[a, b] = [b, a];
a();
