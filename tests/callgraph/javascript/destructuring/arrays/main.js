function one() {}
function two() {}
function three() {}
const [first, , ...rest] = [one, two, three];
first();
rest[0]();
