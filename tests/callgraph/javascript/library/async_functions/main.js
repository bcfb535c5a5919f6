async function fetchUser() {
  return new User();
}
class User {
  greet() {}
}
export async function main() {
  const user = await fetchUser();
  user.greet();
  return fetchUser().then((found) => found.greet());
}
