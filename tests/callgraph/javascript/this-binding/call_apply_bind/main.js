const account = { balance() {} };
function show() {
  this.balance();
}
show.call(account);
show.apply(account, []);
const bound = show.bind(account);
bound();
