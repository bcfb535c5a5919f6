const lib = { open() {}, nested: { close() {} } };
const { open, nested: { close: shut } } = lib;
open();
shut();
