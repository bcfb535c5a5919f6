export enum State {
  Waiting = "waiting",
  Done = "done",
}
