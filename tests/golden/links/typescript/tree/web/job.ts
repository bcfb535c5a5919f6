import { State } from "./state";

export function isWaiting(state: State): boolean {
  return state === State.Waiting;
}
