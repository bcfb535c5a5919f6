module.exports = make;
function make() {}
make.fast = function () {};
