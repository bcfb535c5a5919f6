import legacy from "./legacy.js";
legacy.start();
