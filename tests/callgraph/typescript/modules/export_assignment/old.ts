function run() {}
export = { run };
