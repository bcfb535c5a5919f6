export function createStore(reducer) {
  let state;
  function dispatch(action) {
    state = reducer(state, action);
    notify();
  }
  function notify() {}
  return { dispatch };
}
function counter() {}
export function setup() {
  const store = createStore(counter);
  store.dispatch({});
}
