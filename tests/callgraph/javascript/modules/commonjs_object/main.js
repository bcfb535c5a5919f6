const store = require("./store");
store.open().get();
new store.Store().get();
