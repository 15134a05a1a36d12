package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"kedge"
	"kedge/internal/journal"
)

// appends is how many events one measurement writes.
const appends = 256

// benchJournal compares durable appends with the least a durable append can be:
// a write and an fdatasync of the same bytes on the same disk.
func benchJournal(dir string) ([]result, error) {
	s, err := journal.Open(filepath.Join(dir, "journal"), journal.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // the folder goes next
	f, err := os.Create(filepath.Join(dir, "bare"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	one, bare, err := interleave(
		func() (time.Duration, error) { return appendAll(s, 1) },
		func() (time.Duration, error) { return bareAppend(f) },
	)
	if err != nil {
		return nil, err
	}
	many, single, err := interleave(
		func() (time.Duration, error) { return appendAll(s, 64) },
		func() (time.Duration, error) { return appendAll(s, 1) },
	)
	if err != nil {
		return nil, err
	}
	r1 := bare.Seconds() / one.Seconds()
	r64 := single.Seconds() / many.Seconds()
	return []result{
		{"durable appends, 1 writer; bare append+fdatasync", perSecond(one), perSecond(bare), r1, ">= 0.5", r1 >= 0.5},
		{"durable appends, 64 writers; our 1 writer", perSecond(many), perSecond(single), r64, ">= 5", r64 >= 5},
	}, nil
}

func appendAll(s *journal.Store, writers int) (time.Duration, error) {
	ev, err := kedge.NewEvent(kedge.FilesSeen, kedge.ActorDaemon, kedge.FilesSeenData{Tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904", Cause: "bench"})
	if err != nil {
		return 0, err
	}
	errs := make(chan error, writers)
	return timed(func() error {
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				for range appends / writers {
					if _, _, err := s.Append(context.Background(), "", ev); err != nil {
						errs <- err
						return
					}
				}
			})
		}
		wg.Wait()
		close(errs)
		return <-errs
	})
}

func bareAppend(f *os.File) (time.Duration, error) {
	line := make([]byte, 256)
	return timed(func() error {
		for range appends {
			if _, err := f.Write(line); err != nil {
				return err
			}
			if err := datasync(f); err != nil {
				return err
			}
		}
		return nil
	})
}

// benchOpen compares opening a store with a long history with opening an empty
// one. It has no goal of its own: the figure is for looking at.
func benchOpen(dir string) ([]result, error) {
	full, empty := filepath.Join(dir, "full"), filepath.Join(dir, "empty")
	if err := fill(full, 10_000, 100_000); err != nil {
		return nil, err
	}
	if err := fill(empty, 0, 0); err != nil {
		return nil, err
	}
	a, b, err := interleave(
		func() (time.Duration, error) { return openStore(full) },
		func() (time.Duration, error) { return openStore(empty) },
	)
	if err != nil {
		return nil, err
	}
	ratio := a.Seconds() / b.Seconds()
	return []result{{"open, 10,000 sessions and 100,000 events; empty", short(a), short(b), ratio, "-", true}}, nil
}

func fill(dir string, sessions, events int) error {
	s, err := journal.Open(dir, journal.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // the folder goes next
	var batch []kedge.Event
	for i := range events {
		ev, err := event(i, sessions)
		if err != nil {
			return err
		}
		batch = append(batch, ev)
		if len(batch) == 1000 {
			if _, _, err := s.Append(context.Background(), "fill-"+strconv.Itoa(i), batch...); err != nil {
				return err
			}
			batch = nil
		}
	}
	return nil
}

func event(i, sessions int) (kedge.Event, error) {
	if i < sessions {
		id := kedge.SessionID(kedge.NewID("ses", time.Unix(int64(i), 0)))
		return kedge.NewEvent(kedge.SessionStarted, kedge.ActorDaemon, kedge.Session{ID: id, Name: fmt.Sprintf("s%d", i), Agent: "command", State: kedge.SessionExited})
	}
	return kedge.NewEvent(kedge.FilesSeen, kedge.ActorDaemon, kedge.FilesSeenData{Tree: strconv.Itoa(i), Cause: "bench"})
}

func openStore(dir string) (time.Duration, error) {
	return timed(func() error {
		s, err := journal.Open(dir, journal.Options{})
		if err != nil {
			return err
		}
		return s.Close()
	})
}
