export { Store, shared as default } from "./store";
