enum Kind {
  A = "a",
  B = "b",
}
function first() {}
function second() {}
const table = { a: first, b: second };
table[Kind.B]();
