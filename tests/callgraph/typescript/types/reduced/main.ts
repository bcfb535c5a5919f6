class Item {
  draw(): number {
    return 1;
  }
}
class Sum {
  add(n: number): Sum {
    return this;
  }
}
function all(items: Item[]) {
  items.reduce((sum, item) => sum.add(item.draw()), new Sum());
}
