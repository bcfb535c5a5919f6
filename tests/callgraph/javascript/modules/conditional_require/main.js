let engine;
if (process.env.FAST) {
  engine = require("./fast");
} else {
  engine = require("./slow");
}
engine.run();
