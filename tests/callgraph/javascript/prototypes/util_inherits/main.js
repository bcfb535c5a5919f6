const util = require("util");
function Stream() {}
Stream.prototype.pipe = function () {};
function File() {}
util.inherits(File, Stream);
new File().pipe();
