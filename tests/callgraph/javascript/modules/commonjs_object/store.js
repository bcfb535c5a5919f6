class Store {
  get() {}
}
const open = () => new Store();
module.exports = { open, Store };
