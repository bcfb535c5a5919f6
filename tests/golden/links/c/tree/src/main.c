#include "store.h"

static void local(void) {}

int main(void) {
    local();
    store_put(1);
    return 0;
}
