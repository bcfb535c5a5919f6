import { one, deux, all } from "./core";
one();
deux();
all.two();
