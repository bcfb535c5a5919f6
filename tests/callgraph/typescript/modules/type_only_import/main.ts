import type { User } from "./model";
export function update(user: User) {
  user.rename();
}
