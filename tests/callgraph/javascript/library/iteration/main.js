function step() {}
class Plan {
  *[Symbol.iterator]() {
    yield step;
  }
}
export function follow() {
  for (const each of new Plan()) each();
  const [head] = [...new Plan()];
}
