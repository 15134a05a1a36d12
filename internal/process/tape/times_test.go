package tape_test

import (
	"errors"
	"testing"
	"time"

	"kedge/internal/process/tape"
)

// TestClock: a byte has the time at which it came, also when it came too soon
// after another for a mark of its own and nothing followed for an hour.
func TestClock(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir)
	soon, late := start.Add(10*time.Millisecond), start.Add(time.Hour)
	w.Append([]byte("one"), start)
	w.Append([]byte("two"), soon)
	w.Append([]byte("three"), late)
	w.Append([]byte("four"), late.Add(time.Millisecond))
	c, err := tape.Open(dir).Clock()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for off, want := range map[int64]time.Time{0: start, 2: start, 3: soon, 5: soon, 6: late, 10: late, 11: late, 99: late} {
		if at, ok, err := c.At(off); err != nil || !ok || !at.Equal(want) {
			t.Errorf("byte %d came at %v (%v, %v), want %v", off, at, ok, err, want)
		}
	}
}

func TestClockOfNothing(t *testing.T) {
	dir := t.TempDir()
	if _, err := tape.Open(dir).Clock(); err == nil {
		t.Error("no index, no error")
	}
	w := create(t, dir)
	c, err := tape.Open(dir).Clock()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, ok, err := c.At(0); ok || err != nil {
		t.Errorf("an empty index says something: %v", err)
	}
	w.Append([]byte("x"), start) // not seen by a clock that was opened before
	if _, ok, _ := c.At(0); ok {
		t.Error("a clock changed")
	}
}

func TestEachMark(t *testing.T) {
	dir := t.TempDir()
	l := tape.Open(dir)
	if err := l.EachMark(func(tape.Mark) error { return errors.New("told of nothing") }); err != nil {
		t.Fatal(err)
	}
	w := create(t, dir)
	const n = 5000 // more than is read at once
	for i := range n {
		w.Append([]byte("x"), start.Add(time.Duration(i)*time.Second))
	}
	want, err := l.Marks()
	if err != nil || len(want) != n {
		t.Fatalf("%d marks, %v", len(want), err)
	}
	i := 0
	err = l.EachMark(func(m tape.Mark) error {
		if m != want[i] {
			t.Fatalf("mark %d: %+v, want %+v", i, m, want[i])
		}
		i++
		return nil
	})
	if err != nil || i != n {
		t.Errorf("%d told, %v", i, err)
	}
	stop := errors.New("stop")
	if err := l.EachMark(func(tape.Mark) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("an error is lost: %v", err)
	}
}
