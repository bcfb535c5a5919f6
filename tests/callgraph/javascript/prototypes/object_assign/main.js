const walker = { walk() {} };
function Robot() {}
Object.assign(Robot.prototype, walker);
new Robot().walk();
