function first() {}
function second() {}
const table = { first, second };
export function run() {
  const pick = table.first;
  pick();
  each([second]);
}
function each(list) {
  list.forEach((f) => f());
}
