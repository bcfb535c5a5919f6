interface Store {
  get(): void;
}
class Memory implements Store {
  get() {}
}
class Disk implements Store {
  get() {}
}
export function read(store: Store) {
  store.get();
}
