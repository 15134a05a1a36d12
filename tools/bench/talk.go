package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// transcriptFile is a session as Claude Code writes it down, of about n bytes.
// It is written piece by piece: this program stays small.
func transcriptFile(dir string, n int) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	path := filepath.Join(abs, "session-"+strconv.Itoa(n)+".jsonl")
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	t := newTalk(bufio.NewWriterSize(f, 1<<20))
	for t.bytes < n {
		t.turn()
	}
	if err := t.w.Flush(); err != nil {
		return "", err
	}
	return path, f.Close()
}

// talk writes a transcript, the same one every time, in the proportions of real
// ones: two thirds of the context is what tools gave, most of that files that
// were read. Most of the file is no context at all: the result of a tool stands
// in its line a second time, with all of a file that was edited, and lines that
// tell of progress stand between. A line has 3 KB.
type talk struct {
	w     *bufio.Writer
	rnd   *rand.Rand
	code  []string // texts of files, quoted
	whole []string // long ones
	said  []string // what people and the model write, quoted
	bytes int
	lines int
	calls int
}

func newTalk(w *bufio.Writer) *talk {
	t := &talk{w: w, rnd: rand.New(rand.NewPCG(1, 2))}
	for i := range 64 {
		t.code = append(t.code, quoted(t.source(4+i*i/9, i%4 == 0)))
		t.whole = append(t.whole, quoted(t.source(60+i*i/3, i%4 == 0)))
		t.said = append(t.said, quoted(t.prose(8+i*3)))
	}
	return t
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a form in JSON
	}
	return string(b)
}

// source is lines of a program, numbered as a tool gives them; wide: with
// characters beyond ASCII.
func (t *talk) source(lines int, wide bool) string {
	forms := []string{
		"\tif err := s.write(ctx, %q, n+%d); err != nil {", "\t\treturn fmt.Errorf(\"write %s: %%w\", err) // line %d", "\t}", "",
		"func (s *Store) %s(ctx context.Context, n int) (int, error) { return %d, nil }", "// %s keeps the order of the %d entries: a → b → c.",
	}
	if !wide {
		forms = forms[:len(forms)-1]
	}
	var b strings.Builder
	for i := range lines {
		form := forms[t.rnd.IntN(len(forms))]
		fmt.Fprintf(&b, "%6d\t", i+1)
		if strings.Contains(form, "%d") {
			form = fmt.Sprintf(form, words[t.rnd.IntN(len(words)-2)], t.rnd.IntN(1000))
		}
		b.WriteString(form + "\n")
	}
	return b.String()
}

var words = []string{"session", "checkpoint", "branch", "strategy", "commit", "reads", "the", "hooks", "and", "test", "of", "metadata", "fails", "with", "a", "path", "café", "“shadow”"}

func (t *talk) prose(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = words[t.rnd.IntN(len(words))]
	}
	return strings.Join(list, " ")
}

// turn is one request and what the model did for it.
func (t *talk) turn() {
	t.line("user", `{"role":"user","content":`+pick(t, t.said)+`}`, "")
	for range 3 + t.rnd.IntN(20) {
		t.act()
	}
	t.reply(`{"type":"text","text":` + pick(t, t.said) + `}`)
}

func pick(t *talk, list []string) string { return list[t.rnd.IntN(len(list))] }

// act is one tool call with its result.
func (t *talk) act() {
	t.calls++
	file := fmt.Sprintf("/work/project/internal/part%d/file%d.go", t.rnd.IntN(40), t.rnd.IntN(25))
	switch n := t.rnd.IntN(10); {
	case n < 3:
		text := pick(t, t.code)
		t.tool("Read", `{"file_path":"`+file+`"}`, text, `{"type":"text","file":{"filePath":"`+file+`","content":`+text+`,"numLines":40,"startLine":1}}`)
	case n < 5:
		change := pick(t, t.code[:24])
		t.tool("Edit", `{"file_path":"`+file+`","old_string":`+change+`,"new_string":`+pick(t, t.code[:24])+`,"replace_all":false}`,
			`"The file has been updated."`, `{"filePath":"`+file+`","oldString":`+change+`,"originalFile":`+pick(t, t.whole)+`,"userModified":false}`)
	case n < 9:
		out := pick(t, t.code[:40])
		for range t.rnd.IntN(5) {
			t.progress(out)
		}
		t.tool("Bash", fmt.Sprintf(`{"command":"go test ./internal/part%d -run 'Test%d' 2>&1 | tail -20","description":"Run the tests"}`, t.rnd.IntN(40), t.calls/2),
			out, `{"stdout":`+out+`,"stderr":"","interrupted":false}`)
	default:
		out := pick(t, t.code[:32])
		t.tool("Grep", `{"pattern":"func New","path":"/work/project"}`, out, `{"mode":"content","content":`+out+`,"numFiles":0}`)
	}
}

func (t *talk) progress(out string) {
	t.line("progress", `null`, `,"data":{"type":"bash_progress","output":`+out+`,"elapsedTimeSeconds":3}`)
}

// tool is two lines: the call, with a thought or a word before it now and then,
// and the result.
func (t *talk) tool(name, input, result, inFull string) {
	if t.rnd.IntN(3) == 0 {
		t.reply(`{"type":"thinking","thinking":` + pick(t, t.said) + `,"signature":"c2lnbmF0dXJl"}`)
	}
	id := fmt.Sprintf("toolu_%024d", t.calls)
	t.reply(`{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":` + input + `}`)
	t.line("user", fmt.Sprintf(`{"role":"user","content":[{"tool_use_id":"%s","type":"tool_result","content":%s,"is_error":%t}]}`, id, result, t.calls%12 == 0), `,"toolUseResult":`+inFull)
}

// reply is a line with one block of a reply; the blocks before the same result
// are one reply.
func (t *talk) reply(block string) {
	used := fmt.Sprintf(`{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d,"service_tier":"standard"}`,
		t.rnd.IntN(10), t.rnd.IntN(3000), 20_000+t.lines%150_000, t.rnd.IntN(900))
	t.line("assistant", fmt.Sprintf(`{"model":"claude-opus-4-5-20251101","id":"msg_%024d","type":"message","role":"assistant","content":[%s],"stop_reason":null,"usage":%s}`, t.calls, block, used), "")
}

func (t *talk) line(kind, message, more string) {
	t.lines++
	n, err := fmt.Fprintf(t.w, `{"parentUuid":"%s","isSidechain":false,"userType":"external","cwd":"/work/project","sessionId":"6f1c0a52-0000-4000-8000-000000000001","version":"2.1.36","gitBranch":"main","type":"%s","message":%s,"uuid":"%s","timestamp":"2026-01-%02dT%02d:%02d:%02d.%03dZ"%s}`+"\n",
		uuid(t.lines-1), kind, message, uuid(t.lines), 1+t.lines/86_400%28, t.lines/3600%24, t.lines/60%60, t.lines%60, t.lines%1000, more)
	if err != nil {
		t.bytes = 1 << 62 // ends it; Flush says why
	}
	t.bytes += n
}

func uuid(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n*7919) }
