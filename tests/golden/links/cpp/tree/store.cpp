#include "store.hpp"

namespace app {
void Store::drop() {
  check();
  this->stop();
}
}
