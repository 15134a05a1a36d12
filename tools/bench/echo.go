package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
)

// benchEcho measures from a key to its echo through an attached terminal. The
// terminals of both are sessions of our own, so that what they cost is the same.
func benchEcho(dir string, ours, theirs keeper) ([]result, error) {
	var (
		all    [2][]time.Duration
		typers [2]*typer
	)
	for i, k := range []keeper{ours, theirs} {
		if err := k.do(k.start("echo", []string{self(), "play", "echo"})); err != nil {
			return nil, err
		}
		t, err := newTyper(dir, k, i)
		if err != nil {
			return nil, err
		}
		defer t.close()
		typers[i] = t
	}
	for range rounds() { // in turn, so that a slow moment hits both
		for i, t := range typers {
			d, err := t.keys(echoes)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], d...)
		}
	}
	for i := range all {
		slices.Sort(all[i])
	}
	at := func(i, percent int) time.Duration { return all[i][len(all[i])*percent/100] }
	var results []result
	for _, g := range []struct {
		percent int
		goal    float64
	}{{50, 1.2}, {99, 1.2}} {
		a, b := at(0, g.percent), at(1, g.percent)
		ratio := a.Seconds() / b.Seconds()
		results = append(results, result{
			fmt.Sprintf("echo of a key, attached, p%d; tmux", g.percent), short(a), short(b), ratio, fmt.Sprintf("<= %g", g.goal), ratio <= g.goal,
		})
	}
	return results, nil
}

// typer is somebody at a terminal that is attached to a session.
type typer struct {
	dir    string
	client *hold.Client
	seq    uint64
	grown  chan int64
	cancel context.CancelFunc
}

func newTyper(dir string, k keeper, n int) (*typer, error) {
	return newTyperAt(dir, k, k.attach("echo"), n)
}

// newTyperAt is somebody at a terminal that runs a command, which says when it is ready.
func newTyperAt(dir string, k keeper, command []string, n int) (*typer, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	id := kedge.NewID("ses", time.Now())
	t := &typer{dir: filepath.Join(abs, "typer-"+strconv.Itoa(n)), grown: make(chan int64, 1<<16)}
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.cancel = cancel
	t.client, err = hold.NewLauncher(self(), "hold").Start(ctx, hold.Spec{
		Session: kedge.SessionID(id), Dir: t.dir, Socket: filepath.Join(os.TempDir(), id[len(id)-12:]),
		Command: command, Cwd: k.dir, Env: k.env, Cols: 120, Rows: 40,
	})
	if err != nil {
		cancel()
		return nil, err
	}
	go func() {
		_, _ = t.client.Follow(ctx, func(end int64) error { t.grown <- end; return nil })
		close(t.grown)
	}()
	return t, t.settle("ready")
}

// settle waits until what is shown has the text.
func (t *typer) settle(text string) error {
	for end := range t.grown {
		b := make([]byte, end)
		if n, _ := tape.Open(t.dir).ReadAt(b, 0); strings.Contains(string(b[:n]), text) {
			return nil
		}
	}
	return fmt.Errorf("the attached terminal never showed %q", text)
}

// keys types keys one by one and measures until each is shown.
func (t *typer) keys(n int) ([]time.Duration, error) {
	var all []time.Duration
	for i := range n {
		key := []byte{byte('a' + i%26)}
		_, from, err := tape.Open(t.dir).Range()
		if err != nil {
			return nil, err
		}
		d, err := timed(func() error {
			if err := t.press(key); err != nil {
				return err
			}
			return t.shown(from, key)
		})
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// press types a key.
func (t *typer) press(key []byte) error {
	t.seq++
	return t.client.Input(context.Background(), 1, t.seq, key)
}

func (t *typer) shown(from int64, key []byte) error {
	for end := range t.grown {
		if end <= from {
			continue
		}
		b := make([]byte, end-from)
		if n, _ := tape.Open(t.dir).ReadAt(b, from); strings.Contains(string(b[:n]), string(key)) {
			return nil
		}
	}
	return errors.New("the attached terminal went away")
}

func (t *typer) close() {
	finish(context.Background(), t.client)
	t.cancel()
}
