function red() {}
function blue() {}
let colour = red;
const before = colour;
colour = blue;
before();
