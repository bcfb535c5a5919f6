function sealed(target: Function) {}
function logged(name: string) {
  return function (target: any, key: string) {};
}
@sealed
class Report {
  @logged("x")
  print() {}
}
new Report().print();
