package local

import "example.com/app/store"

type Stats struct{ Hits int }

type Cache struct {
	stats   Stats
	entries map[string]*Queue
}

func (c *Cache) Stats() Stats {
	return c.stats
}

func (c *Cache) Found(k string) {
	if entry, ok := c.entries[k]; ok {
		entry.Push(1)
	}
}

func (c *Cache) Taken(k string) {
	entry := c.entries[k]
	entry.Push(1)
}

func (c *Cache) All() {
	for _, entry := range c.entries {
		entry.Push(1)
	}
}

func (c *Cache) Direct(k string) {
	c.entries[k].Push(1)
}

func Shadowing(store *store.Store) {
	store.Put(1)
}
