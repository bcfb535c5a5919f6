package store

func (s *Store) Drop() {
	s.check(1)
}
