class Base {
  save() {
    this.validate();
  }
  validate() {}
}
export class User extends Base {
  validate() {
    super.validate();
  }
  rename() {
    this.save();
  }
}
