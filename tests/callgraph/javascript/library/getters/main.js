class Config {
  get path() {
    return find();
  }
  set path(value) {
    check(value);
  }
}
function find() {}
function check() {}
export function use(config = new Config()) {
  config.path = 1;
  return config.path;
}
