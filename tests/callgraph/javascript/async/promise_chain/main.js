function parse(value) {
  return render;
}
function render() {}
function fail() {}
function close() {}
Promise.resolve(1).then(parse).then((f) => f()).catch(fail).finally(close);
