package follow

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"

	"kedge"
	"kedge/internal/core/watch"
	"kedge/internal/engine"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
)

// Timing of what follows a session.
const (
	lookPause   = 200 * time.Millisecond // before a holder that broke off is asked again
	sampleEvery = 30 * time.Second       // how often a quiet session is looked at
	endGrace    = 5 * time.Second        // between asking a program to end and making it
	askLimit    = 5 * time.Second        // for an answer of a holder to a question in passing
)

func pause(ctx context.Context) error {
	t := time.NewTimer(lookPause)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		if err := engine.Left(ctx); err != nil {
			return err
		}
		return kedge.Errorf(kedge.Interrupted, "Kedge stopped waiting for a session: %w", context.Cause(ctx))
	}
}

// follow watches a living session until it is over. It ends it when that is
// wished or the command is withdrawn, and leaves it when the engine goes.
func (s *session) follow(ctx context.Context, c *hold.Client) (hold.Found, error) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	over := make(chan hold.Found, 1)
	first := s.opening()
	var typing sync.WaitGroup
	typing.Go(func() { s.typeAll(own, first) })
	for _, said := range inOrder(s.live.kept(s.c)) {
		typing.Go(func() { s.tell(own, said) })
	}
	go func() { over <- s.read(own, c) }()
	defer func() { cancel(); typing.Wait() }()
	moments, stop := s.cfg.moments()
	defer stop()
	saves, enough := s.cfg.saveMoments()
	var saving pace
	defer enough()
	withdrawn, wished := ctx.Done(), s.wished
	for {
		select {
		case f := <-over:
			return f, nil
		case <-withdrawn:
			if errors.Is(engine.Left(ctx), engine.ErrLeave) {
				cancel()
				closeClient((<-over).Client)
				return hold.Found{}, engine.ErrLeave
			}
			withdrawn = nil
			go s.end(own)
		case <-wished:
			wished = nil
			go s.end(own)
		case <-moments:
			s.sample(own)
		case <-saves:
			s.lateCompaction()
			if saving.due(s.live.unsaved(s.c)) {
				s.saveActs()
			}
		}
	}
}

// moments are when quiet sessions are looked at.
func (c *Config) moments() (<-chan time.Time, func()) {
	if c.Tick != nil {
		return c.Tick(sampleEvery)
	}
	t := time.NewTicker(sampleEvery)
	return t.C, t.Stop
}

func closeClient(c *hold.Client) {
	if c != nil {
		_ = c.Close()
	}
}

// end has the program stop its turn, where it can be told, then asks it to end, then
// makes it, with all that it started; a holder that does not answer is asked again.
func (s *session) end(ctx context.Context) {
	grace := s.cfg.Grace
	if grace == 0 {
		grace = endGrace
	}
	s.release(ctx)
	s.interrupt(ctx, grace)
	for {
		f := hold.Look(ctx, s.dir)
		asked := f.Client != nil && f.Client.End(ctx, grace) == nil
		closeClient(f.Client)
		if asked || f.State != kedge.SessionRunning || pause(ctx) != nil {
			return
		}
	}
}

// read follows the session's output until it is over, however often its holder
// breaks off. It closes the client and gives the session as it is then.
func (s *session) read(ctx context.Context, c *hold.Client) hold.Found {
	for {
		if c != nil {
			_, _ = c.Follow(ctx, func(end int64) error { s.readTo(ctx, end); return nil }) // how it is with the session, Look says
			closeClient(c)
		}
		f := hold.Look(ctx, s.dir)
		if ctx.Err() != nil || f.State != kedge.SessionRunning {
			return f
		}
		c = f.Client
		_ = pause(ctx) // if it is over, Look says so
	}
}

// readTo reads the tape up to an offset and takes in what it says.
func (s *session) readTo(ctx context.Context, end int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.catchUp()
	log := tape.Open(s.dir)
	cur := log.Cursor()
	defer func() { _ = cur.Close() }() // only read
	buf := make([]byte, 64<<10)
	for s.off < end && ctx.Err() == nil {
		n, err := cur.ReadAt(buf[:min(int64(len(buf)), end-s.off)], s.off)
		if n == 0 {
			if errors.Is(err, tape.ErrRemoved) {
				s.off, _, _ = log.Range()
				continue
			}
			if err != nil && !errors.Is(err, io.EOF) {
				s.cfg.log().Error("cannot read the output of a session", "session", string(s.id), "error", err.Error())
			}
			return
		}
		from := s.off
		s.off += int64(n)
		s.feed(ctx, from, buf[:n], s.printed(log, s.off-1))
		s.askAgain(ctx)
	}
}

// printed is when a byte was printed.
func (s *session) printed(log tape.Log, off int64) time.Time {
	clock, err := log.Clock()
	if err != nil {
		return s.cfg.Now()
	}
	defer func() { _ = clock.Close() }() // only read
	at, ok, err := clock.At(off)
	if err != nil || !ok {
		return s.cfg.Now()
	}
	return at
}

// feed takes in what was printed from an offset on: line by line, so that what is
// noticed has a place on the tape that is the same for everybody who reads it.
func (s *session) feed(ctx context.Context, from int64, b []byte, at time.Time) {
	before := s.use.reports
	for line := range bytes.Lines(b) {
		from += int64(len(line))
		s.feedLine(ctx, from, line, at)
	}
	if s.use.reports != before {
		s.reportUsage(ctx)
	}
}

// feedLine takes in a line, or a part of one, that ends at an offset.
func (s *session) feedLine(ctx context.Context, end int64, line []byte, at time.Time) {
	var noticed []watch.Signal
	evs, reply := s.reader.Feed(line, at)
	s.typed.put(end, reply)
	for _, ev := range evs {
		s.followShort(ctx, end, ev)
		noticed = append(noticed, s.happened(ctx, ev)...)
		if s.acts(ev) {
			s.live.acted(s.c, end)
		}
	}
	for i, sig := range noticed {
		s.noticed(ctx, notice{place: end, key: "at-" + strconv.FormatInt(end, 10) + "-" + strconv.Itoa(i), sig: sig})
	}
	s.shorten(end)
	s.sayKept()
}

// happened takes in an event, and gives what was noticed with it.
func (s *session) happened(ctx context.Context, ev watch.Act) []watch.Signal {
	if h := s.cfg.Heard; h != nil {
		if err := h(ctx, s.c, s.id, ev); err != nil && s.heard == nil {
			s.heard = err
		}
	}
	s.use.take(ev)
	s.last.Take(ev)
	s.journalFirsts(ctx, ev)
	noticed := s.watch.Feed(ev)
	if _, window := s.watch.Filled(); window > 0 {
		s.use.window = &window // by which the run decides, whatever the agent believes
	}
	return noticed
}

// notice is a signal at a place of the tape.
type notice struct {
	place int64
	key   string
	sig   watch.Signal
}

// noticed passes a signal on. What people were asked before the session was taken
// up may be answered by now: everything that was printed tells.
func (s *session) noticed(ctx context.Context, a notice) {
	if a.sig.Advice == watch.Person {
		s.unsaid = nil
		if a.place <= s.old {
			s.unsaid = &a
			return
		}
	}
	s.signal(ctx, a)
}

// askAgain asks people what the session still waits for. The owner before may
// have asked it, or nobody: the run knows by its place.
func (s *session) askAgain(ctx context.Context) {
	if s.unsaid == nil || s.off < s.old {
		return
	}
	if s.reader.Asks() {
		s.signal(ctx, *s.unsaid)
	}
	s.unsaid = nil
}

// sample looks at a session that may have stopped to work.
func (s *session) sample(ctx context.Context) {
	now := s.cfg.Now()
	got, counts := s.sampleNow(ctx, now)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isHeld() {
		s.quiet = nil // it does nothing because you want it to
		return
	}
	if n := len(s.quiet); n > 0 && s.quiet[n-1].End != got.End {
		s.quiet = nil
	}
	s.quiet = append(s.quiet, got)
	if len(s.quiet) > 2 {
		s.quiet = []hold.Sample{s.quiet[0], got}
	}
	for i, sig := range s.watch.Tick(now, activity(s.quiet, counts)) {
		s.signal(ctx, notice{key: "on-" + strconv.FormatInt(now.UnixMilli(), 10) + "-" + strconv.Itoa(i), sig: sig})
	}
}

// sampleNow is what is seen of the session; counts says whether its computing is.
func (s *session) sampleNow(ctx context.Context, now time.Time) (got hold.Sample, counts bool) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	c, err := hold.Dial(ctx, s.dir)
	if err == nil {
		defer func() { _ = c.Close() }()
		if got, err = c.Sample(ctx, now); err == nil {
			return got, true
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return hold.Sample{At: now, End: s.off}, false
}

// activity judges samples of the same length of the tape, of which the first is
// the oldest.
func activity(quiet []hold.Sample, counts bool) watch.Activity {
	first, last := quiet[0], quiet[len(quiet)-1]
	a := watch.Activity{For: last.At.Sub(first.At)}
	if a.For <= 0 {
		return a
	}
	switch judged := hold.Judge(quiet, a.For); {
	case !counts:
		a.Doing = watch.DoingSilently
	case judged == hold.Spinning:
		a.Doing = watch.DoingCompute
	case judged == hold.Hung:
		a.Doing = watch.DoingNothing
	default:
		a.Doing = watch.DoingWork
	}
	return a
}
