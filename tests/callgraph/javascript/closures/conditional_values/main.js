function a() {}
function b() {}
function c() {}
const flag = process.env.FLAG;
const one = flag ? a : b;
const two = flag || c;
const three = flag && a;
one();
two();
three();
