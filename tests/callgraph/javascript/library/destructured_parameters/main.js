function draw() {}
export function render({ items, onDone = draw }) {
  items.map((item) => item());
  onDone();
}
export function page() {
  render({ items: [draw] });
}
