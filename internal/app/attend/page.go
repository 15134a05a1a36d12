package attend

import (
	"context"
	"fmt"
	"os"
	"time"

	"kedge/internal/agents/catalog"
	"kedge/internal/agents/record"
	"kedge/internal/core/watch"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
	"kedge/internal/process"
)

// page is the transcript of a conversation, and how far it was read.
type page struct {
	file  transcript.File
	size  int64
	wrote time.Time
	read  int // entries
	acts  record.Acts
	after time.Time // not looked for, or read again, before
}

// look reads what a session's transcript got since the last look.
func (s *Attendant) look(ctx context.Context, w *watched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.native == "" && w.page.file.Path != "" && s.watching.others(w.page.file.Name(), w.key) {
		s.anew(ctx, w, w.key+"-not-"+w.page.file.Name()) // it was taken for this session's, and is another's
	}
	if s.home.Now().Before(w.page.after) {
		return
	}
	if w.page.file.Path == "" && !s.findPage(ctx, w) || !w.page.changed() {
		return
	}
	if err := s.readPage(ctx, w); err != nil && ctx.Err() == nil {
		s.home.Log.Warn("cannot read the transcript of a session", "session", string(w.ses.ID), "error", err.Error())
	}
}

// readShare keeps reading to a small share of the time, however long a transcript gets:
// what took a second to read is read again after this many of them.
const readShare = 30

// findPage finds the transcript of a session, and takes up watching by it: what was told
// by hooks meanwhile stands in it too.
func (s *Attendant) findPage(ctx context.Context, w *watched) bool {
	ses, where := w.ses, transcript.Where{Agent: w.agent, Since: w.ses.StartedAt}
	if w.agent == "" && !record.Known(ses) {
		return false
	}
	env := s.envOf(w.of)
	where.Getenv = func(name string) string { return process.Getenv(env, name) }
	f, ok := record.Current(ctx, ses, w.native, func(name string) bool { return s.watching.others(name, w.key) }, where)
	if !ok {
		w.page.after = s.home.Now().Add(min(maxSearch, s.home.Now().Sub(ses.StartedAt)/10))
		return false
	}
	if w.native == "" {
		s.watching.guess(f.Name(), w.key)
	}
	w.page, w.eye = page{file: f}, watch.New(w.limits) // its age is that of what stands in it
	return true
}

// maxSearch is how long a transcript is at most not looked for.
const maxSearch = 30 * time.Second

// readPage feeds what is new in the transcript.
func (s *Attendant) readPage(ctx context.Context, w *watched) error {
	n, from := 0, w.page.read
	var found []noticed
	began := s.home.Now()
	_, err := catalog.Transcripts().ReadFile(ctx, w.page.file, transcript.Options{Text: true}, func(e *audit.Entry) {
		if n++; n > from {
			found = append(found, w.feed(w.entryKey(n), w.page.acts.Take(e))...)
		}
	})
	took := s.home.Now().Sub(began)
	w.page.read, w.page.after = max(n, from), began.Add(readShare*took)
	s.tell(ctx, w, found)
	return err
}

// changed tells whether a transcript was written to since it was last asked. A database
// is written beside itself first.
func (p *page) changed() bool {
	var size int64
	var wrote time.Time
	for _, path := range []string{p.file.Path, p.file.Path + "-wal"} {
		fi, err := os.Stat(path)
		if err != nil {
			continue
		}
		size += fi.Size()
		if fi.ModTime().After(wrote) {
			wrote = fi.ModTime()
		}
	}
	if size == p.size && wrote.Equal(p.wrote) {
		return false
	}
	p.size, p.wrote = size, wrote
	return true
}

// entryKey begins the keys of what an entry says. Another conversation of the session has
// entries with the same numbers.
func (w *watched) entryKey(n int) string {
	return fmt.Sprintf("%s-%s-%d", w.key, w.page.file.Name(), n)
}
