import shared, { Store } from "./index";
export function read() {
  shared.get();
}
export function fresh() {
  return new Store().get();
}
