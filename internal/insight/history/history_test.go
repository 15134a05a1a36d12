package history_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge/internal/agents/catalog"
	"kedge/internal/insight/history"
	"kedge/internal/insight/transcript"
	"kedge/internal/testkit/redacttest"
)

// machine is a home with transcripts, and the library of it.
type machine struct {
	t    *testing.T
	home string
	lib  *history.Library
	read []history.Progress
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, home: t.TempDir()}
	m.lib = &history.Library{Dir: filepath.Join(t.TempDir(), "history"), Formats: catalog.Transcripts(), Tell: func(p history.Progress) { m.read = append(m.read, p) }}
	return m
}

func (m *machine) where() transcript.Where {
	return transcript.Where{Getenv: func(name string) string {
		if name == "HOME" {
			return m.home
		}
		return ""
	}}
}

// claude is where Claude Code keeps the transcript of a session.
func (m *machine) claude(id string) string {
	return filepath.Join(m.home, ".claude", "projects", "-w-shop", id+".jsonl")
}

func (m *machine) write(path, text string) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) add(path, text string) {
	m.t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		m.t.Fatal(err)
	}
}

// find gives what a query finds, as "id:line", in the order of the texts.
func (m *machine) find(words string) []string {
	m.t.Helper()
	m.read = nil
	r, err := m.lib.Search(m.t.Context(), m.where(), history.Parse(words, true), history.Filter{}, history.Options{Now: time.Now(), Apart: true})
	if err != nil {
		m.t.Fatal(err)
	}
	return places(r)
}

func places(r history.Result) []string {
	list := []string{}
	for _, f := range r.Found {
		for _, h := range f.Matches {
			list = append(list, fmt.Sprintf("%s:%d", f.ID, h.Line))
		}
	}
	slices.Sort(list)
	return list
}

func (m *machine) finds(words string, want ...string) {
	m.t.Helper()
	if got := m.find(words); !slices.Equal(got, append([]string{}, want...)) {
		m.t.Errorf("%q is found at %v, want %v", words, got, want)
	}
}

// line is what Claude Code writes when somebody says something.
func line(id, who, text string) string {
	content, _ := json.Marshal(text)
	return fmt.Sprintf(`{"type":%q,"sessionId":%q,"cwd":"/w/shop","uuid":"u","timestamp":"2026-11-02T10:00:00.000Z","message":{"role":%q,"content":[{"type":"text","text":%s}]}}`+"\n", who, id, who, content)
}

func TestWordsAreFoundAsTheyAreSaid(t *testing.T) {
	m := newMachine(t)
	m.write(m.claude("a"), line("a", "user", "Should the ThreadPools be per-file?\nor per process")+line("a", "assistant", "Per  file\tpools, ÄRGER, 日本語テスト; see cmd/x.go"))
	m.finds("pool", "a:1", "a:2")
	m.finds("POOLS", "a:1", "a:2")
	m.finds("per-file", "a:1")
	m.finds(`"per file"`, "a:2")
	m.finds(`"per-file? or per"`, "a:1")
	m.finds("pools per", "a:1", "a:2")
	m.finds("ärger", "a:2")
	m.finds("本語", "a:2")
	m.finds("cmd/x.go", "a:2")
	m.finds("md/x", "a:2")
	m.finds("?", "a:1")
	m.finds("pool zebra")
	m.finds("threadpools cmd")
}

// TestANewLineIsFound: after a line was added, the next search has it, and reads only what
// is new.
func TestANewLineIsFound(t *testing.T) {
	m := newMachine(t)
	m.write(m.claude("a"), strings.Repeat(line("a", "user", "one alpaca"), 100))
	m.write(m.claude("b"), line("b", "user", "one zebra"))
	m.finds("zebra", "b:1")
	m.finds("zebra", "b:1")
	if m.read != nil {
		t.Errorf("nothing changed, and this was read: %+v", m.read)
	}
	next := line("a", "assistant", "a zebra too")
	m.add(m.claude("a"), next)
	m.finds("zebra", "a:101", "b:1")
	if last := m.read[len(m.read)-1]; last.Of != 1 || last.Total != int64(len(next)) {
		t.Errorf("read %+v, want the %d bytes of one line", last, len(next))
	}
}

// TestALineThatIsNotOver: half a line is found when it is whole, once.
func TestALineThatIsNotOver(t *testing.T) {
	m := newMachine(t)
	whole := line("a", "user", "one zebra")
	m.write(m.claude("a"), line("a", "user", "one alpaca")+whole[:len(whole)/2])
	m.finds("zebra")
	m.finds("alpaca", "a:1")
	m.add(m.claude("a"), whole[len(whole)/2:len(whole)-1])
	m.finds("zebra", "a:2")
	m.add(m.claude("a"), "\n"+line("a", "user", "no zebra"))
	m.finds("zebra", "a:2", "a:3")
}

// TestTranscriptsThatChange: what was rewritten is read again, and what is gone is not found.
func TestTranscriptsThatChange(t *testing.T) {
	m := newMachine(t)
	m.write(m.claude("a"), line("a", "user", "one zebra"))
	m.write(m.claude("b"), line("b", "user", "other zebra"))
	m.finds("zebra", "a:1", "b:1")
	m.write(m.claude("a"), line("a", "user", "nothing here")+line("a", "user", "now a zebra"))
	m.finds("zebra", "a:2", "b:1")
	m.finds("nothing", "a:1")
	m.write(m.claude("a"), line("a", "user", "tiny"))
	m.finds("zebra", "b:1")
	if err := os.Remove(m.claude("b")); err != nil {
		t.Fatal(err)
	}
	m.finds("zebra")
	m.finds("tiny", "a:1")
	if n := m.segments(); n != 1 {
		t.Errorf("%d segments are left of one transcript", n)
	}
}

func (m *machine) segments() int {
	list, err := filepath.Glob(filepath.Join(m.lib.Dir, "*", "seg-*"))
	if err != nil {
		m.t.Fatal(err)
	}
	return len(list)
}

// TestSegmentsAreMerged: many small updates leave few files, and everything is found.
func TestSegmentsAreMerged(t *testing.T) {
	m := newMachine(t)
	var want []string
	for i := range 40 {
		path := m.claude("a")
		if i == 0 {
			m.write(path, "")
		}
		m.add(path, line("a", "user", fmt.Sprintf("zebra number%d", i)))
		want = append(want, fmt.Sprintf("a:%d", i+1))
		m.finds(fmt.Sprintf("number%d", i), append([]string{}, slices.Sorted(slices.Values(numbered(i)))...)...)
	}
	slices.Sort(want)
	m.finds("zebra", want...)
	if n := m.segments(); n > 14 {
		t.Errorf("%d segments after 40 updates", n)
	}
}

// numbered are the places of the messages whose number begins with i's digits.
func numbered(i int) (list []string) {
	for n := range i + 1 {
		if strings.HasPrefix(fmt.Sprint(n), fmt.Sprint(i)) {
			list = append(list, fmt.Sprintf("a:%d", n+1))
		}
	}
	return list
}

// TestATornIndexIsMadeAgain: an index that was cut or damaged anywhere finds the same.
func TestATornIndexIsMadeAgain(t *testing.T) {
	m := newMachine(t)
	m.write(m.claude("a"), line("a", "user", "one zebra and more"))
	m.write(m.claude("b"), line("b", "assistant", "other zebra"))
	m.finds("zebra", "a:1", "b:1")
	m.add(m.claude("a"), line("a", "user", "last zebra"))
	m.finds("zebra", "a:1", "a:2", "b:1")
	files, err := filepath.Glob(filepath.Join(m.lib.Dir, "*", "*"))
	if err != nil || len(files) < 4 {
		t.Fatalf("%v (%v)", files, err)
	}
	whole := map[string][]byte{}
	for _, f := range files {
		if whole[f], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	restore := func() {
		now, _ := filepath.Glob(filepath.Join(m.lib.Dir, "*", "*"))
		for _, f := range now {
			_ = os.Remove(f)
		}
		for f, b := range whole {
			m.write(f, string(b))
		}
	}
	for _, f := range slices.Sorted(maps.Keys(whole)) {
		b := whole[f]
		for n := 0; n < len(b); n += 1 + len(b)/60 {
			restore()
			m.write(f, string(b[:n]))
			m.finds("zebra", "a:1", "a:2", "b:1")
			restore()
			damaged := bytes.Clone(b)
			damaged[n] ^= 0x41
			m.write(f, string(damaged))
			m.finds("zebra", "a:1", "a:2", "b:1")
		}
		restore()
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
		m.finds("zebra", "a:1", "a:2", "b:1")
	}
}

// TestWhatAKilledUpdateLeft: a segment that no manifest names does no harm and goes away.
func TestWhatAKilledUpdateLeft(t *testing.T) {
	m := newMachine(t)
	m.write(m.claude("a"), line("a", "user", "one zebra"))
	m.finds("zebra", "a:1")
	for _, name := range []string{"seg-0123456789abcdef", "manifest.new"} {
		m.write(filepath.Join(m.lib.Dir, "v1", name), "half")
	}
	m.finds("zebra", "a:1")
	m.add(m.claude("a"), line("a", "user", "two zebras"))
	m.finds("zebra", "a:1", "a:2")
	for _, name := range []string{"seg-0123456789abcdef", "manifest.new"} {
		if _, err := os.Stat(filepath.Join(m.lib.Dir, "v1", name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

// TestAnInterruptedUpdateKeepsWhatItRead: the next one goes on.
func TestAnInterruptedUpdateKeepsWhatItRead(t *testing.T) {
	m := newMachine(t)
	for i := range 30 {
		m.write(m.claude(fmt.Sprintf("s%02d", i)), line("x", "user", "one zebra"))
	}
	ctx, stop := context.WithCancel(t.Context())
	m.lib.Tell = func(p history.Progress) {
		if p.Files == 10 {
			stop()
		}
	}
	if _, err := m.lib.Update(ctx, m.where()); err == nil {
		t.Fatal("an interrupted update says nothing")
	}
	first := history.Progress{}
	m.lib.Tell = func(p history.Progress) {
		if first.Of == 0 {
			first = p
		}
	}
	if got := len(m.find("zebra")); got != 30 {
		t.Errorf("%d found, want 30", got)
	}
	if first.Of == 0 || first.Of > 20 {
		t.Errorf("the next update read %d transcripts, want the rest", first.Of)
	}
}

// TestManyAtOnce: searches beside each other, while a transcript grows, all find what was
// there when they began.
func TestManyAtOnce(t *testing.T) {
	m := newMachine(t)
	m.write(m.claude("a"), line("a", "user", "one zebra"))
	done := make(chan error)
	const searches, rounds = 4, 8
	for range searches {
		go func() {
			lib := &history.Library{Dir: m.lib.Dir, Formats: catalog.Transcripts()}
			for range rounds {
				x, err := lib.Update(t.Context(), m.where())
				if err != nil {
					done <- err
					return
				}
				r, err := x.Search(t.Context(), history.Parse("zebra", true), history.Filter{}, history.Options{Now: time.Now()})
				x.Close()
				if err == nil && r.Messages == 0 {
					err = fmt.Errorf("no zebra")
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range rounds {
		m.add(m.claude("a"), line("a", "user", "one more zebra"))
		m.find("zebra")
	}
	for range searches {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := len(m.find("zebra")); got != rounds+1 {
		t.Errorf("%d found, want %d", got, rounds+1)
	}
}

// TestT15NoSecretIsIndexed: whoever says a secret, and in whatever a tool is called with.
func TestT15NoSecretIsIndexed(t *testing.T) {
	m := newMachine(t)
	var b strings.Builder
	for _, text := range redacttest.Canaries() {
		b.WriteString(line("a", "user", text) + line("a", "assistant", text))
		in, _ := json.Marshal(map[string]any{"prompt": text, "deep": []any{map[string]string{"x": text}}})
		cmd, _ := json.Marshal(map[string]any{"command": "echo " + text})
		for tool, input := range map[string][]byte{"Task": in, "Bash": cmd} {
			fmt.Fprintf(&b, `{"type":"assistant","sessionId":"a","uuid":"u","message":{"content":[{"type":"tool_use","id":"t","name":%q,"input":%s}]}}`+"\n", tool, input)
		}
	}
	m.write(m.claude("a"), b.String())
	if len(m.find("redacted")) == 0 {
		t.Error("nothing is redacted: this shows nothing")
	}
	files, _ := filepath.Glob(filepath.Join(m.lib.Dir, "*", "*"))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if fi, err := os.Stat(f); err != nil || fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v (%v)", f, fi.Mode(), err)
		}
		for family, secret := range redacttest.Secrets() {
			if bytes.Contains(text, []byte(secret)) || bytes.Contains(text, []byte(strings.ToLower(secret))) {
				t.Errorf("a secret of family %s is in %s", family, filepath.Base(f))
			}
		}
	}
}
