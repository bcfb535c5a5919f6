package local

type Queue struct {
	head *Node
	Kind Kind
}

type Stack struct{}

type Node struct{}

type Kind int

func (q *Queue) Push() {}

func (s *Stack) Push() {}

func (n *Node) Next() {}

func (k Kind) Next() {}

func open() (*Queue, error) { return &Queue{}, nil }

func named() (queue *Queue, err error) { return }

func First() {
	q, err := open()
	q.Push()
	_ = err
}

func Second() {
	q, _ := named()
	q.Push()
}

func Third() func(*Queue) {
	return func(q *Queue) {
		q.Push()
	}
}

func Fourth() {
	var q *Queue = nil
	q.Push()
}

func Fifth(all []*Queue) {
	for _, each := range all {
		each.Push()
	}
}

func Sixth(a, b *Queue) {
	a.Push()
}

func Seventh(q *Queue) {
	node := q.head
	node.Next()
}

func Eighth(any interface{}) {
	q, ok := any.(*Queue)
	if ok {
		q.Push()
	}
}

func Ninth(q *Queue) {
	q.Kind.Next()
}
