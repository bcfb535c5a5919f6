const { hammer: hit } = require("./lib/tool");
const tool = require("./lib/tool.js");
hit();
tool.saw();
