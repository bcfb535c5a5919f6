const tools = { cut() {} };
const box = {};
Object.setPrototypeOf(box, tools);
box.cut();
