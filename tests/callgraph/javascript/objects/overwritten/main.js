function old() {}
function fresh() {}
const table = { run: old };
table.run = fresh;
table.run();
