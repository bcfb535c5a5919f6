class Vault {
  #key = () => {};
  #check() {
    this.#key();
  }
  open() {
    this.#check();
  }
}
new Vault().open();
