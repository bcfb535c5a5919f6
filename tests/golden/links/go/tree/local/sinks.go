package local

type Sink interface {
	Put(n int) error
	Close()
}

type Null struct{}

func (Null) Put(n int) error { return nil }

func (Null) Close() {}

type Half struct{}

func (Half) Put(n int) error { return nil }

func Fill(s Sink) error { return s.Put(1) }
