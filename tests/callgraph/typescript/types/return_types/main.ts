declare function unknown(): any;
class Row {
  save() {}
}
function find(): Row {
  return unknown();
}
find().save();
