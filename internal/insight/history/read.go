package history

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"time"

	"kedge"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/resume"
	"kedge/internal/insight/transcript"
	"kedge/internal/text/redact"
)

// made is what one worker has written.
type made struct {
	segments []segmentFile
	sources  []*source // their pieces name segments of this worker
	failed   error
}

// worker reads transcripts, one after the other, into segments of its own.
type worker struct {
	l    *Library
	out  made
	file *os.File
	b    *builder
	buf  []byte // the text of a message, whose place is used again
	room transcript.Room
}

// segmentText is how much text a segment takes: memory is needed for the tokens of one.
const segmentText = 32 << 20

// read puts a transcript into the index. What cannot be read is told, and is no reason to
// give up on the others.
func (w *worker) read(ctx context.Context, j job) {
	src := &source{Conversation: Conversation{File: j.file, Dir: j.dir}}
	if j.old != nil {
		*src = *j.old
	} else if side := w.l.Formats.Of(j.file.Agent).Side; side != nil {
		src.File.Side = side(j.file.Path)
	}
	src.File.Size, src.stamp = j.file.Size, j.stamp
	x := &extractor{w: w, src: src, split: w.l.Formats.Of(j.file.Agent).Split}
	m, err := w.l.entries(ctx, src, j.old != nil, &w.room, x.take)
	x.flush()
	src.note(m, err)
	if err := ctx.Err(); err != nil {
		w.fail(kedge.Errorf(kedge.Interrupted, "interrupted: %w", context.Cause(ctx)))
		return
	}
	w.out.sources = append(w.out.sources, src)
}

// note takes what a transcript says about itself.
func (s *source) note(m transcript.Meta, err error) {
	s.ID = transcript.First(s.ID, m.ID, s.File.Name())
	s.Parent, s.Dir = transcript.First(s.Parent, m.Parent), transcript.First(s.Dir, m.Dir)
	if err != nil {
		s.Why = err.Error()
	}
}

// entries reads a transcript; of one that has grown, what is behind what was read.
func (l *Library) entries(ctx context.Context, src *source, grown bool, room *transcript.Room, emit transcript.Emit) (transcript.Meta, error) {
	o := transcript.Options{Text: true, Said: !l.Output, Side: src.File.Side}
	format := l.Formats.Of(src.File.Agent)
	if format.Database != nil || format.ByFile && !format.Added {
		return l.Formats.ReadFile(ctx, src.File, o, emit)
	}
	f, err := os.Open(src.File.Path)
	if err != nil {
		return transcript.Meta{}, kedge.Errorf(kedge.NotFound, "cannot open the transcript %q: %w", src.File.Path, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	from, lines := int64(0), 0
	if grown {
		from = src.end
		if lines, err = countLines(io.NewSectionReader(f, 0, from)); err != nil {
			return transcript.Meta{}, kedge.Errorf(kedge.Internal, "cannot read the transcript %q: %w", src.File.Path, err)
		}
	}
	in := &lineEnds{r: io.NewSectionReader(f, from, src.File.Size-from), end: from, at: from}
	m, err := l.Formats.Read(ctx, src.File.Agent, room.From(in), o, func(e *audit.Entry) {
		e.Line += lines
		emit(e)
	})
	src.end, src.open = in.end, in.end != in.at
	if src.end > 0 {
		src.head, src.tail, _ = ends(f, src.end) // what was just read can be read again
	}
	if format.ByFile {
		m.ID = src.File.Name()
	}
	return m, err
}

func countLines(r io.Reader) (n int, err error) {
	buf := make([]byte, 256<<10)
	for {
		k, err := r.Read(buf)
		n += bytes.Count(buf[:k], []byte("\n"))
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// lineEnds knows where the last line ended that went through it.
type lineEnds struct {
	r       io.Reader
	at, end int64
}

func (l *lineEnds) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		l.end = l.at + int64(i) + 1
	}
	l.at += int64(n)
	return n, err
}

// extractor takes from the entries of a transcript what is searched.
type extractor struct {
	w     *worker
	src   *source
	split bool // messages go over several lines
	who   Who  // of the message that is not over
	line  int
	next  int // the line on which it would go on
	at    time.Time
	text  []byte
}

func (x *extractor) take(e *audit.Entry) {
	if e.At != "" {
		x.seen(e.At)
	}
	who, text := said(e, x.src.File.Side)
	if x.w != nil && x.w.l.Output {
		x.output(e)
	}
	if text == "" {
		return
	}
	x.title(who, e, text)
	if x.split && who == x.who && e.Line == x.next {
		x.text = append(append(x.text, '\n'), text...)
		x.next++
		return
	}
	x.flush()
	x.who, x.line, x.next, x.text = who, e.Line, e.Line+1, append(x.text[:0], text...)
	x.at = parsed(e.At)
	if !x.split {
		x.flush()
	}
}

// output takes what a tool gave, or what an edit writes, as a message of its own.
func (x *extractor) output(e *audit.Entry) {
	text := ""
	switch {
	case e.Kind == audit.ToolResult:
		text = e.Text
	case e.Kind == audit.ToolCall && e.Act == audit.Edit:
		text = inputText(e.Text)
	}
	if text == "" {
		return
	}
	x.flush()
	at := uint32(0)
	if t := parsed(e.At); !t.IsZero() {
		at = uint32(max(t.Unix(), 0))
	}
	x.w.add(x.src, e.Line, at, Output, redact.Text(text))
}

// seen notes when a conversation began and ended. Times of one form are compared as texts.
func (x *extractor) seen(at string) {
	t := parsed(at)
	if t.IsZero() {
		return
	}
	if x.src.Began.IsZero() || t.Before(x.src.Began) {
		x.src.Began = t
	}
	if t.After(x.src.Ended) {
		x.src.Ended = t
	}
}

// parsed reads a time in the form of entries; zero is unknown.
func parsed(s string) time.Time {
	const form = "2006-01-02T15:04:05.000Z"
	if len(s) != len(form) {
		return time.Time{}
	}
	num := func(from, to int) (n int) {
		for _, c := range []byte(s[from:to]) {
			n = n*10 + int(c-'0')
		}
		return n
	}
	return time.Date(num(0, 4), time.Month(num(5, 7)), num(8, 10), num(11, 13), num(14, 16), num(17, 19), num(20, 23)*int(time.Millisecond), time.UTC)
}

// titleSize is how much of a title is kept, in bytes.
const titleSize = 200

// title names the conversation by what its program calls it, else by what was asked first.
func (x *extractor) title(who Who, e *audit.Entry, text string) {
	switch {
	case who == Title:
		x.src.titled = true
	case x.src.Title != "" || x.src.titled:
		return
	case who == You:
		text = resume.Typed(e)
	case who == Agent && x.src.File.Side:
	default:
		return
	}
	line := redact.Text(firstLine(text))
	x.src.Title = strings.ToValidUTF8(line[:min(len(line), titleSize)], "")
}

// firstLine is the first line that says something by itself: not "Implement this plan:".
func firstLine(text string) string {
	first := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#"))
		switch {
		case line == "" || strings.HasPrefix(line, "```"):
		case !strings.HasSuffix(line, ":"):
			return line
		case first == "":
			first = line
		}
	}
	return first
}

// flush puts the message into the segment, without secrets.
func (x *extractor) flush() {
	if len(x.text) == 0 {
		return
	}
	at := uint32(0)
	if !x.at.IsZero() {
		at = uint32(max(x.at.Unix(), 0))
	}
	x.w.add(x.src, x.line, at, x.who, redact.Text(string(x.text)))
	x.text = x.text[:0]
}

// add puts a message into the segment at hand.
func (w *worker) add(src *source, line int, at uint32, who Who, text string) {
	if w.out.failed != nil {
		return
	}
	if w.b == nil {
		f, err := w.l.create()
		if err != nil {
			w.fail(err)
			return
		}
		w.file, w.b = f, newBuilder(f)
	}
	here := uint32(len(w.out.segments)) | ownSegment
	if n := len(src.pieces); n > 0 && src.pieces[n-1].segment == here {
		src.pieces[n-1].n++
	} else {
		src.pieces = append(append([]piece(nil), src.pieces...), piece{here, w.b.n, 1})
	}
	w.buf = append(w.buf[:0], text...)
	w.b.add(line, at, who, w.buf)
	if w.b.text >= segmentText {
		w.close()
	}
}

// ownSegment marks pieces in segments of a worker, whose numbers in the manifest are not
// known yet.
const ownSegment = 1 << 31

// close ends the segment at hand.
func (w *worker) close() {
	if w.b == nil {
		return
	}
	size, err := w.b.finish()
	if err != nil {
		w.fail(kept(err))
	}
	if err := w.file.Close(); err != nil {
		w.fail(kept(err))
	}
	w.out.segments = append(w.out.segments, segmentFile{name: baseOf(w.file), size: size, docs: w.b.n})
	w.b, w.file = nil, nil
}

func (w *worker) fail(err error) {
	if w.out.failed == nil {
		w.out.failed = err
	}
}
