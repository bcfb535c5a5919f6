class Button {
  constructor() {
    this.click = this.click.bind(this);
  }
  click() {
    this.paint();
  }
  paint() {}
}
const { click } = new Button();
click();
