require("./make")();
require("./make").fast();
