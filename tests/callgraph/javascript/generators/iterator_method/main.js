function item() {}
class Shelf {
  *[Symbol.iterator]() {
    yield item;
  }
}
for (const each of new Shelf()) each();
