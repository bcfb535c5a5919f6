package other

import "example.com/app/local"

type File struct{}

func (f *File) Put(n int) error { return nil }

func (f *File) Close() {}

var _ local.Sink = (*File)(nil)
