import old = require("./old");
old.run();
