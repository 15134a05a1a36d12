package output_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/process/output"
	"kedge/internal/process/tape"
)

var update = flag.Bool("update", false, "write the golden files")

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// recording is a tape that is being made, and the clock.
type recording struct {
	t   testing.TB
	dir string
	w   *tape.Writer
	at  time.Time
}

func record(t testing.TB) *recording {
	t.Helper()
	r := &recording{t: t, dir: t.TempDir(), at: start}
	var err error
	if r.w, err = tape.Create(r.dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.w.Close() })
	return r
}

func (r *recording) print(after time.Duration, text string) *recording {
	r.at = r.at.Add(after)
	r.w.Append([]byte(text), r.at)
	return r
}

func (r *recording) mark(after time.Duration, kind tape.Kind, a uint32, b uint64) *recording {
	r.t.Helper()
	r.at = r.at.Add(after)
	if err := r.w.Mark(tape.Mark{Kind: kind, A: a, B: b, At: r.at}); err != nil {
		r.t.Fatal(err)
	}
	return r
}

func session(state kedge.SessionState) kedge.Session {
	return kedge.Session{Name: "auth-refactor", Command: []string{"claude", "--resume"}, State: state, StartedAt: start}
}

// recordings are one of each kind of thing that can be on a tape.
func recordings(t *testing.T) map[string]struct {
	log tape.Log
	s   kedge.Session
} {
	t.Helper()
	type recorded = struct {
		log tape.Log
		s   kedge.Session
	}
	whole := record(t).mark(120*time.Millisecond, tape.Resize, 80, 24).
		print(248*time.Millisecond, "\x1b[1;31mHello \x1b[32mWorld!\x1b[0m\r\n").
		print(10*time.Millisecond, "soon after\r\n").
		print(1001*time.Millisecond, "That was ok\rThis is better.").
		mark(2*time.Second, tape.Resize, 90, 30).
		print(time.Hour, "<&> \u202e \u0085 grüße\r\n").
		mark(887*time.Millisecond, tape.Exit, 3, 0)
	odd := record(t).print(0, "split \xe4\xb8").print(time.Second, "\x96 bad \xff\xfe, nul \x00, half \xc3").
		mark(time.Second, tape.Gap, 0, 1234).print(time.Second, "after\n").mark(0, tape.Exit, 0, 0)
	killed := record(t).mark(0, tape.Resize, 100, 40).print(time.Second, "no end, half \xf0\x9f")
	k := session(kedge.SessionInterrupted)
	k.Cause = "killed"
	back := record(t).print(time.Minute, "late\r\n").print(-30*time.Second, "the clock went back\r\n")
	return map[string]recorded{
		"whole":  {tape.Open(whole.dir), session(kedge.SessionExited)},
		"odd":    {tape.Open(odd.dir), session(kedge.SessionExited)},
		"killed": {tape.Open(killed.dir), k},
		"live":   {tape.Open(back.dir), session(kedge.SessionRunning)},
		"empty":  {tape.Open(record(t).dir), session(kedge.SessionRunning)},
	}
}

func TestGolden(t *testing.T) {
	for name, r := range recordings(t) {
		var v3, text bytes.Buffer
		if err := output.Asciicast(t.Context(), &v3, r.log, r.s); err != nil {
			t.Fatal(err)
		}
		if err := output.Text(t.Context(), &text, r.log); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".cast", v3.Bytes())
		golden(t, name+".txt", text.Bytes())
		check(t, v3.Bytes())
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; got\n%s", name, got)
	}
}

// check reads a recording as its specification says, and gives the output.
func check(t testing.TB, b []byte) string {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	var h struct {
		Version int `json:"version"`
		Term    struct{ Cols, Rows int }
	}
	if err := json.Unmarshal([]byte(lines[0]), &h); err != nil || h.Version != 3 || h.Term.Cols == 0 || h.Term.Rows == 0 {
		t.Fatalf("header %q: %v", lines[0], err)
	}
	var out strings.Builder
	for _, line := range lines[1:] {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var e []any
		if err := json.Unmarshal([]byte(line), &e); err != nil || len(e) != 3 {
			t.Fatalf("event %q: %v", line, err)
		}
		interval, ok := e[0].(float64)
		code, isText := e[1].(string)
		data, isData := e[2].(string)
		if !ok || interval < 0 || !isText || !isData || !strings.Contains("orx", code) {
			t.Fatalf("event %q", line)
		}
		if code == "o" {
			out.WriteString(data)
		}
	}
	return out.String()
}

// TestRetentionIsTold: what is no longer kept is said first, with the size that
// the terminal had by then; a session of which nothing is kept is an error.
func TestRetentionIsTold(t *testing.T) {
	r := record(t).mark(0, tape.Resize, 80, 24).print(time.Second, strings.Repeat("x", 100)).
		mark(time.Second, tape.Gap, 0, 7).print(time.Second, strings.Repeat("x", tape.SegmentSize-100)).mark(time.Second, tape.Resize, 132, 50).print(time.Second, "kept\r\n")
	if err := os.Remove(filepath.Join(r.dir, "log.0")); err != nil {
		t.Fatal(err)
	}
	var v3, text bytes.Buffer
	if err := output.Asciicast(t.Context(), &v3, tape.Open(r.dir), session(kedge.SessionRunning)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"cols":132,"rows":50`, "# Kedge removed the first 8388608 bytes of the output", `"kept\r\n"]`} {
		if !strings.Contains(v3.String(), want) {
			t.Errorf("no %s in\n%s", want, v3.String())
		}
	}
	if err := output.Text(t.Context(), &text, tape.Open(r.dir)); err != nil || !strings.HasPrefix(text.String(), "[kedge: Kedge removed the first 8388608 bytes of the output]\n") {
		t.Errorf("%v: %q", err, text.String())
	}
	if err := output.Text(t.Context(), &text, tape.Open(filepath.Join(t.TempDir(), "gone"))); !kedge.NotFound.Is(err) || err.Error() != output.Removed().Error() {
		t.Errorf("nothing kept: %v", err)
	}
}

// TestF22BoundedMemory: an export costs the same memory however much there is.
func TestF22BoundedMemory(t *testing.T) {
	r := record(t).print(0, strings.Repeat("one line that never ends, ", 2*tape.SegmentSize/26))
	for name, export := range map[string]func(io.Writer) error{
		"asciicast": func(w io.Writer) error {
			return output.Asciicast(t.Context(), w, tape.Open(r.dir), session(kedge.SessionRunning))
		},
		"text": func(w io.Writer) error { return output.Text(t.Context(), w, tape.Open(r.dir)) },
	} {
		var most uint64
		var before, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		writes := 0
		err := export(writerFunc(func(p []byte) (int, error) {
			if writes++; writes%32 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc-min(before.HeapAlloc, now.HeapAlloc))
			}
			return len(p), nil
		}))
		if writes < 32 {
			t.Errorf("%s: only %d writes: it does not stream", name, writes)
		}
		if err != nil {
			t.Fatal(err)
		}
		if most > 4<<20 {
			t.Errorf("%s: %d bytes of memory", name, most)
		}
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestFailures(t *testing.T) {
	r := record(t).print(0, strings.Repeat("x", 100_000))
	broken := writerFunc(func([]byte) (int, error) { return 0, errors.New("the pipe is closed") })
	if err := output.Asciicast(t.Context(), broken, tape.Open(r.dir), kedge.Session{}); !kedge.Internal.Is(err) || !strings.Contains(err.Error(), "pipe is closed") {
		t.Error(err)
	}
	if err := output.Text(t.Context(), broken, tape.Open(r.dir)); !kedge.Internal.Is(err) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := output.Text(ctx, io.Discard, tape.Open(r.dir)); !kedge.Interrupted.Is(err) {
		t.Error(err)
	}
}

// FuzzAsciicast: whatever is printed, in whatever pieces, the recording is valid
// and plays back to it.
func FuzzAsciicast(f *testing.F) {
	f.Add([]byte("plain\r\n\x1b[0m"), uint64(1))
	f.Add([]byte("\xff\xc3\xe4\xb8\x96\x00\u2028\u202e"), uint64(2))
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		r := record(t)
		for rest := b; len(rest) > 0; {
			n := 1 + rnd.IntN(len(rest))
			r.print(time.Duration(rnd.IntN(100))*time.Millisecond, string(rest[:n]))
			rest = rest[n:]
		}
		var out, text bytes.Buffer
		if err := output.Asciicast(context.Background(), &out, tape.Open(r.dir), kedge.Session{}); err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for _, c := range string(b) { // every bad byte is one U+FFFD
			want.WriteRune(c)
		}
		if got := check(t, out.Bytes()); got != want.String() {
			t.Errorf("%q plays as %q", b, got)
		}
		if err := output.Text(context.Background(), &text, tape.Open(r.dir)); err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsAny(text.Bytes(), "\x1b\r\x00") {
			t.Errorf("control characters in %q", text.Bytes())
		}
	})
}
