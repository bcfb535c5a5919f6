function hammer() {}
exports.hammer = hammer;
module.exports.saw = function () {};
