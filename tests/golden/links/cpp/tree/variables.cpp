#include "store.hpp"

class Other {
 public:
  void put(int n) {}
};

void declared() {
  app::Store store;
  store.put(1);
}

void each(Others all) {
  for (const app::Store& one : all) one.put(1);
}
