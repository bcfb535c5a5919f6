#include "store.h"

static void local(void) {}

void store_put(int n) { local(); }
