const one = { run() {}, stop() {} };
const two = { ...one, stop: function halt() {} };
two.run();
two.stop();
