const { EventEmitter } = require("events");
function tick() {}
function opened() {}
const bus = new EventEmitter();
setTimeout(tick, 10);
bus.on("open", opened);
