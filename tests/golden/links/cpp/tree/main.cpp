#include "store.hpp"

int main() {
    app::Store s;
    app::open();
    return 0;
}
