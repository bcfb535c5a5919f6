function deliver() {}
const later = new Promise((resolve) => {
  resolve(deliver);
});
later.then((f) => f());
