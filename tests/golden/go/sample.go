// Package queue keeps jobs until somebody does them.
package queue

import (
	"fmt"
	"net/http"
	log "github.com/acme/logging"
	. "math"
	_ "embed"
)

// MaxJobs is how many jobs are kept.
const MaxJobs = 100

const (
	idle State = iota
	Busy
)

var (
	defaultQueue, spare = New[int](1), 2
	ErrFull             = fmt.Errorf("full  up")
)

type State int

type Handler func(job Job) error

type Alias = map[string]Job

// Job is work to do.
type Job interface {
	fmt.Stringer
	Run(times int) error
}

// Queue is a list of jobs.
// It is safe for concurrent use.
type Queue[T any] struct {
	Base
	*http.Server
	mu   sync.Mutex
	jobs []T
}

// New makes a queue.
func New[T any](size int) *Queue[T] {
	return &Queue[T]{jobs: make([]T, 0, size)}
}

// Push adds a job and reports whether there was room.
func (q *Queue[T]) Push(job T, hooks ...func(T)) (ok bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) > MaxJobs {
		return false, ErrFull
	}
	for _, hook := range hooks {
		switch {
		case hook != nil:
			go hook(job)
		}
	}
	q.jobs = append(q.jobs, job)
	return true, nil
}

func (s State) String() string { return Names[s] }

func (Queue[T]) reset() {}

func routes(mux *http.ServeMux, r *gin.Engine) {
	mux.HandleFunc("GET /jobs/{id}", show)
	http.Handle("/static/", http.FileServer(http.Dir("static")))
	r.POST("/jobs", func(c *gin.Context) { c.JSON(200, Job{Name: build()}) })
}

func TestPush(t *testing.T) {
	t.Run("empty", func(t *testing.T) { New[int](Floor(1.5)).Push(1) })
}
