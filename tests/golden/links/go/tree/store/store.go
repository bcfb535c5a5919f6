package store

type Store struct {
	disk *Disk
}

func New(p string) *Store { return &Store{} }

func (s *Store) Put(n int) {
	s.check(n)
	s.disk.Write(n)
}

func (s *Store) check(n int) {}
