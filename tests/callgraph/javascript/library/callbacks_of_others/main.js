const express = require("express");
const app = express();
function handler() {
  respond();
}
function respond() {}
function middleware(req, res, next) {
  next();
}
app.use(middleware);
app.get("/", handler);
