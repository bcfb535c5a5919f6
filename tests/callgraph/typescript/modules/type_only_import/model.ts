export class User {
  rename() {}
}
