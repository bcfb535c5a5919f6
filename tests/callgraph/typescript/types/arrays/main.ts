class Item {
  draw() {}
}
function all(items: Item[], more: Array<Item>) {
  for (const item of items) item.draw();
  more.forEach((each) => each.draw());
}
