const one = { run() {}, stop() {} };
const two = { ...one, stop() {} };
two.run();
two.stop();
