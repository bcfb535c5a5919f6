import Shape, { area as surface } from "./shapes";
new Shape().draw();
surface();
