package hardened

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// memory is what git said already of things that cannot have changed: objects
// by their full names, an index by its bytes, a configuration by the texts of
// all its files. It saves most of the processes of a run and is never more than
// that: without it every answer is the same.
type memory struct {
	mu   sync.Mutex
	said map[string]answer
	size int
	dirs map[string]folder

	killed atomic.Int64 // gits that a signal ended
}

// answer is what git printed, and when.
type answer struct {
	out []byte
	at  time.Time
}

// Bounds of a memory. What is bigger than one answer may be is not kept; a full
// memory forgets everything.
const (
	memorySize = 16 << 20
	answerSize = 1 << 20
)

// freshFor bounds how long it counts that an object which no ref holds was
// there, and that a configuration has no files but the known ones.
const freshFor = 5 * time.Second

func newMemory() *memory {
	return &memory{said: map[string]answer{}, dirs: map[string]folder{}}
}

func (m *memory) recall(key string) (answer, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, ok := m.said[key]
	return a, ok
}

func (m *memory) keep(key string, a answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(key) + len(a.out)
	if n > answerSize {
		return
	}
	if m.size+n > memorySize {
		clear(m.said)
		m.size = 0
	}
	m.said[key] = a
	m.size += n
}

// Remembered gives what ask gave for the key before. The answer is the caller's
// to read, not to change.
func (g *Git) Remembered(key string, ask func() ([]byte, error)) ([]byte, error) {
	if a, ok := g.opt.memory.recall(key); ok {
		return a.out, nil
	}
	out, err := ask()
	if err == nil {
		g.opt.memory.keep(key, answer{out: slices.Clone(out), at: g.opt.Now()})
	}
	return out, err
}

// Fixed is Do, for a question about objects by their full names alone: what is
// in an object never changes.
func (g *Git) Fixed(ctx context.Context, args ...string) ([]byte, error) {
	return g.Remembered(g.ObjectKey(args), func() ([]byte, error) { return g.Do(ctx, args...) })
}

// About is Fixed where rev is a full name, else Do.
func (g *Git) About(ctx context.Context, rev string, args ...string) ([]byte, error) {
	if CheckSHA("object", rev) != nil {
		return g.Do(ctx, args...)
	}
	return g.Fixed(ctx, args...)
}

// ObjectKey is the key of an answer about objects by their full names.
func (g *Git) ObjectKey(args []string) string { return g.common + "\x00" + strings.Join(args, "\x00") }

// Written gives the name of an object that ask writes. It is not written again
// while it is known to be there: a moment ago, or as a file of its own.
func (g *Git) Written(key string, ask func() ([]byte, error)) ([]byte, error) {
	a, ok := g.opt.memory.recall(key)
	if ok && g.opt.Now().Sub(a.at) < freshFor && g.loose(strings.TrimSpace(string(a.out))) {
		return a.out, nil
	}
	out, err := ask()
	if err == nil {
		g.opt.memory.keep(key, answer{out: slices.Clone(out), at: g.opt.Now()})
	}
	return out, err
}

// loose tells whether an object is there in a file of its own.
func (g *Git) loose(sha string) bool {
	return CheckSHA("object", sha) == nil && Exists(filepath.Join(g.common, "objects", sha[:2], sha[2:]))
}

// contents names a file by its bytes; false when it cannot be read.
func contents(file string) (string, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	sum := sha256.Sum256(b)
	return string(sum[:]), true
}

// OfIndex is a question whose answer depends on nothing but the bytes of an
// index; how says which kind of question.
func (g *Git) OfIndex(index, what string, how Question, ask func() ([]byte, error)) ([]byte, error) {
	name, ok := contents(index)
	if !ok {
		return ask()
	}
	return how(what+"\x00"+name, ask)
}

// Question is Remembered or Written.
type Question func(key string, ask func() ([]byte, error)) ([]byte, error)
