package history

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"kedge"
	"kedge/internal/insight/transcript"
)

// Update brings the index up to the transcripts of this machine, and opens it. Where says
// where agents keep their files.
func (l *Library) Update(ctx context.Context, where transcript.Where) (*Index, error) {
	const tries = 5 // others replace segments while they are being opened, or damage one
	var err error
	for i := range tries {
		var m *manifest
		if m, err = l.bring(ctx, where); err != nil {
			return nil, err
		}
		var x *Index
		if x, err = l.open(m); err == nil {
			return x, nil
		}
		if !errors.Is(err, os.ErrNotExist) || i > 0 { // a segment is damaged or gone: without the manifest all are made again
			l.forget()
		}
	}
	return nil, err
}

// forget makes the next update begin a new index.
func (l *Library) forget() {
	_ = os.Remove(filepath.Join(l.folder(), manifestName)) // the next update tells why it stays
}

// Search brings the index up to date and searches it. An index that turns out to be damaged
// is made again.
func (l *Library) Search(ctx context.Context, where transcript.Where, q Query, f Filter, o Options) (Result, error) {
	for again := false; ; again = true {
		x, err := l.Update(ctx, where)
		if err != nil {
			return Result{}, err
		}
		r, err := x.Search(ctx, q, f, o)
		x.Close()
		if _, torn := errors.AsType[*damage](err); !torn || again {
			return r, err
		}
		l.forget()
	}
}

// bring gives a manifest that is up to date. While nothing changed, nothing is written.
func (l *Library) bring(ctx context.Context, where transcript.Where) (*manifest, error) {
	m, err := l.load()
	if err != nil {
		return nil, err
	}
	now, err := l.list(ctx, where, m)
	if err != nil {
		return nil, err
	}
	if _, _, same := l.compare(m, now); same {
		return m, nil
	}
	lock, err := l.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Close() }() // which gives the lock back
	if m, err = l.load(); err != nil {
		return nil, err
	}
	if now, err = l.list(ctx, where, m); err != nil { // it may have taken a while
		return nil, err
	}
	for {
		keep, jobs, same := l.compare(m, now)
		if same {
			return m, nil
		}
		next, err := l.write(ctx, m, keep, jobs)
		if err != nil {
			return nil, err
		}
		m = next
		// Agents that keep transcripts in the project are looked for in the folders of others,
		// which may be known only now.
		if now, err = l.list(ctx, where, m); err != nil {
			return nil, err
		}
	}
}

const lockName = "lock"

// lock waits until no other process brings the index up to date.
func (l *Library) lock(ctx context.Context) (*os.File, error) {
	if err := os.MkdirAll(l.folder(), 0o700); err != nil {
		return nil, kept(err)
	}
	f, err := os.OpenFile(filepath.Join(l.folder(), lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, kept(err)
	}
	const pause = 20 * time.Millisecond
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(kept(err), f.Close())
		}
		l.tell(Progress{Waits: true})
		select {
		case <-ctx.Done():
			return nil, errors.Join(kedge.Errorf(kedge.Interrupted, "interrupted: %w", context.Cause(ctx)), f.Close())
		case <-time.After(pause):
		}
	}
}

func (l *Library) tell(p Progress) {
	if l.Tell != nil {
		l.Tell(p)
	}
}

// write reads what changed, with as many workers as there are processors, and stores the
// manifest. What was read before an interruption is kept.
func (l *Library) write(ctx context.Context, m *manifest, keep []*source, jobs []job) (*manifest, error) {
	slices.SortStableFunc(jobs, func(a, b job) int { return cmp.Compare(b.size, a.size) }) // the large first, so that no worker ends long after the others
	p := Progress{Of: len(jobs)}
	for _, j := range jobs {
		p.Total += j.size
	}
	queue := make(chan job, len(jobs))
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	l.tell(p)
	workers := make([]*worker, max(1, min(runtime.GOMAXPROCS(0), most, len(jobs))))
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range workers {
		w := &worker{l: l}
		workers[i] = w
		wg.Go(func() {
			for j := range queue {
				if ctx.Err() != nil || w.out.failed != nil {
					break
				}
				w.read(ctx, j)
				mu.Lock()
				p.Files++
				p.Bytes += j.size
				l.tell(p)
				mu.Unlock()
			}
			w.close()
		})
	}
	wg.Wait()
	return l.joined(ctx, m, keep, workers)
}

// most is how many workers there are at most: each needs memory for a segment.
const most = 8

// joined makes one manifest of what stays and of what was written.
func (l *Library) joined(ctx context.Context, m *manifest, keep []*source, workers []*worker) (*manifest, error) {
	next := &manifest{segments: slices.Clone(m.segments), files: keep}
	var failed error
	for _, w := range workers {
		base := uint32(len(next.segments))
		next.segments = append(next.segments, w.out.segments...)
		for _, s := range w.out.sources {
			for i, p := range s.pieces {
				if p.segment&ownSegment != 0 {
					s.pieces[i].segment = base + p.segment&^ownSegment
				}
			}
			next.files = append(next.files, s)
		}
		if w.out.failed != nil && failed == nil {
			failed = w.out.failed
		}
	}
	if failed != nil && !kedge.Interrupted.Is(failed) {
		return nil, failed
	}
	next.order()
	if failed == nil {
		if err := l.merge(ctx, next); err != nil {
			return nil, err
		}
	}
	next.prune()
	if err := l.store(next); err != nil {
		return nil, err
	}
	if failed == nil {
		failed = ctx.Err()
	}
	if failed != nil && !kedge.Interrupted.Is(failed) {
		failed = kedge.Errorf(kedge.Interrupted, "interrupted: %w", failed)
	}
	return next, failed
}

// order puts the transcripts into the order of their names, so that the same transcripts
// give the same index.
func (m *manifest) order() {
	slices.SortFunc(m.files, func(a, b *source) int { return cmp.Compare(key(a.File), key(b.File)) })
}

// prune leaves out segments of which no transcript has a message any more.
func (m *manifest) prune() {
	used := make([]bool, len(m.segments))
	for _, f := range m.files {
		for _, p := range f.pieces {
			used[p.segment] = true
		}
	}
	to := make([]uint32, len(m.segments))
	var left []segmentFile
	for i, s := range m.segments {
		if used[i] {
			to[i] = uint32(len(left))
			left = append(left, s)
		}
	}
	m.segments = left
	for _, f := range m.files {
		for i := range f.pieces {
			f.pieces[i].segment = to[f.pieces[i].segment]
		}
	}
}
