function a() {}
async function load() {
  return a;
}
async function main() {
  const [first] = await Promise.all([load()]);
  first();
}
main();
