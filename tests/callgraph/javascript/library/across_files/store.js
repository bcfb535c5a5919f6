export class Store {
  get() {
    return load();
  }
}
function load() {}
export const shared = new Store();
