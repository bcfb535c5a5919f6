namespace app {
class Base {
 public:
  void stop() {}
};
class Store : public Base {
 public:
  void put(int n) { check(); this->stop(); }
  void check() {}
  void drop();
};
void open() {}
}
