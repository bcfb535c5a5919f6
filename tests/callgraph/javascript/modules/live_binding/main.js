import { listener, replace } from "./state.js";
replace();
listener();
