export * from "./first";
export { two as deux } from "./first.js";
export * as all from "./first";
