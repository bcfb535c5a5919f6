export let listener = initial;
function initial() {}
function replaced() {}
export function replace() {
  listener = replaced;
}
