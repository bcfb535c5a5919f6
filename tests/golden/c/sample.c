/* Ring buffers. */
#include <stdlib.h>
#include "ring.h"

#define RING_MAX 64
#define CLAMP(x, hi) ((x) > (hi) ? (hi) : (x))

typedef struct ring {
    int *items;
    struct ring *next;
    size_t head, tail;
} Ring, *RingPtr;

typedef int (*compare_fn)(const void *, const void *);
typedef unsigned long ulong_t;

struct visitor { void (*visit)(Ring *); };
union word { int i; float f; };
enum order { ASCENDING, DESCENDING = -1 };
enum { ANONYMOUS = 7 };

static const int GROWTH = 2;
int ring_count = 0, ring_peak;
static compare_fn comparers[] = { by_value, by_size };

int ring_push(Ring *ring, int item);

/*
 * Makes a ring of a given size.
 * Returns NULL when there is no memory.
 */
Ring *ring_new(size_t size)
{
    Ring *ring = malloc(sizeof(*ring));
    if (!ring)
        return NULL;
    ring->items = calloc(CLAMP(size, RING_MAX), sizeof(int));
    return ring;
}

// Appends one item.
int ring_push(Ring *ring, int item)
{
    while (ring->next) {
        switch (ring->head) {
        case 0: ring->visitor->visit(ring); break;
        default: for (;;) break;
        }
    }
    qsort(ring->items, 1, sizeof(int), by_value);
    return printf("pushed  %d\n", item);
}

static inline int by_value(const void *a, const void *b) { return *(int *)a - *(int *)b; }

int (*pick(enum order order))(const void *, const void *) { return by_value; }

#ifdef RING_DEBUG
void ring_dump(Ring *ring) { dump(ring); }
#endif
