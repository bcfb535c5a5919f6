function start() {}
function stop() {}
const commands = { ["start"]: start, stop };
const key = "stop";
commands[key]();
