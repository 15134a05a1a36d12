package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"kedge"
	"kedge/internal/server/mcp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// book is a service that remembers what it was asked and answers with a text.
type book struct {
	mu     sync.Mutex
	asked  []string
	answer func(ctx context.Context, name string, in json.RawMessage) (string, error)
}

func (b *book) Call(ctx context.Context, name string, in, out any, progress func(json.RawMessage)) error {
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.asked = append(b.asked, name+" "+string(raw))
	b.mu.Unlock()
	text := `{"done":true}`
	if b.answer != nil {
		if text, err = b.answer(ctx, name, raw); err != nil {
			return err
		}
	}
	progress(json.RawMessage(`{}`))
	return json.Unmarshal([]byte(text), out)
}

// serve gives what the server says to some lines, line by line.
func serve(t testing.TB, s *mcp.Server, lines ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Serve(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// settled is a server that has answered everything before its input ends.
func settled(t *testing.T, s *mcp.Server, answers int, lines ...string) []string {
	t.Helper()
	in, feed := io.Pipe()
	from, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.Serve(t.Context(), in, out); _ = out.Close() }()
	go func() { _, _ = io.WriteString(feed, strings.Join(lines, "\n")+"\n") }()
	var got []string
	dec := json.NewDecoder(from)
	for range answers {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			t.Fatalf("after %q: %v", got, err)
		}
		got = append(got, string(raw))
	}
	_ = feed.Close()
	if rest, err := io.ReadAll(io.MultiReader(dec.Buffered(), from)); err != nil || strings.TrimSpace(string(rest)) != "" {
		t.Errorf("more than %d answers: %s (%v)", answers, rest, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	return got
}

func newServer(b *book) *mcp.Server {
	return &mcp.Server{Call: b, Session: "ses-00000000000000000000000001", Environ: []string{"A=1"}, Version: "1.2.3"}
}

func TestProtocol(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"its version", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, `"protocolVersion":"2025-06-18"`},
		{"a version from the future", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2999-01-01"}}`, `"protocolVersion":"2025-11-25"`},
		{"no version", `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, `"protocolVersion":"2025-11-25"`},
		{"who it is", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, `"serverInfo":{"name":"kedge","version":"1.2.3"}`},
		{"ping", `{"jsonrpc":"2.0","id":"a","method":"ping"}`, `{"jsonrpc":"2.0","id":"a","result":{}}`},
		{"a method of another version", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no method \"server/discover\""}}`},
		{"not JSON", `{"jsonrpc":`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700`},
		{"not a message", `"hello"`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600`},
		{"another version of JSON-RPC", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600`},
		{"an id that is none", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `"code":-32600`},
		{"an id of null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `"code":-32600`},
		{"an empty batch", `[]`, `"code":-32600`},
		{"a tool that is none", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no tool \"rm\""}}`},
		{"parameters that are none", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, `"code":-32602`},
		{"a message that is too long", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 5<<20) + `"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := settled(t, newServer(&book{}), 1, c.in)
			if !strings.Contains(got[0], c.want) {
				t.Errorf("%s", got[0])
			}
		})
	}
}

// What has no answer gets none: the answer to the ping behind it is the first.
func TestNoAnswerIsDue(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	for _, in := range []string{
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"note_add"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}`,
		`{"jsonrpc":"2.0","id":3,"result":{}}`,
		`[{"jsonrpc":"2.0","method":"notifications/initialized"}]`,
		"", "   ",
	} {
		b := &book{}
		if got := settled(t, newServer(b), 1, in, ping); got[0] != `{"jsonrpc":"2.0","id":7,"result":{}}` || len(b.asked) > 0 {
			t.Errorf("%s: %s, %q", in, got, b.asked)
		}
	}
}

func TestBatch(t *testing.T) {
	got := settled(t, newServer(&book{}), 1,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"feature_next"}},7]`)
	var all []struct {
		ID    json.RawMessage `json:"id"`
		Error *struct{ Code int }
	}
	if err := json.Unmarshal([]byte(got[0]), &all); err != nil || len(all) != 3 {
		t.Fatalf("%s (%v)", got[0], err)
	}
	var ids []string
	for _, a := range all {
		ids = append(ids, string(a.ID))
	}
	slices.Sort(ids)
	if !slices.Equal(ids, []string{"1", "2", "null"}) {
		t.Errorf("answered: %q", ids)
	}
}

// call makes one call of a tool.
func call(t *testing.T, s *mcp.Server, tool, args string) (text string, failed bool) {
	t.Helper()
	got := settled(t, s, 1, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+args+`}}`)
	var res struct {
		Result struct {
			Content    []struct{ Type, Text string }
			Structured json.RawMessage `json:"structuredContent"`
			IsError    bool            `json:"isError"`
		}
	}
	if err := json.Unmarshal([]byte(got[0]), &res); err != nil || len(res.Result.Content) != 1 || res.Result.Content[0].Type != "text" {
		t.Fatalf("%s (%v)", got[0], err)
	}
	text = res.Result.Content[0].Text
	if !res.Result.IsError && text != string(res.Result.Structured) {
		t.Errorf("the text %s is not the structured content %s", text, res.Result.Structured)
	}
	return text, res.Result.IsError
}

// TestRow2ToolsAreCalls: every tool is one call of the service, with what the
// agent gave.
func TestRow2ToolsAreCalls(t *testing.T) {
	for _, c := range []struct{ tool, args, want string }{
		{"feature_next", `{}`, `next {}`},
		{"feature_next", `null`, `next {}`},
		{"feature_get", `{"id":"a"}`, `feature.show {"id":"a"}`},
		{"feature_submit", `{"id":"a"}`, `feature.submit {"id":"a","env":["A=1"]}`},
		{"checkpoint_save", `{"task":"t","resume":"r","files":["f"]}`, `checkpoint.save {"task":"t","resume":"r","files":["f"]}`},
		{"decision_propose", `{"title":"t","why":"w","rejected":[{"what":"x","reason":"y"}],"applies_to":["*.go"]}`, `decision.add {"title":"t","why":"w","rejected":[{"what":"x","reason":"y"}],"applies_to":["*.go"]}`},
		{"note_add", `{"text":"t","files":["f"],"dead_ends":"d"}`, `note.add {"text":"t","files":["f"],"dead_ends":"d"}`},
		{"recall", `{"query":"q"}`, `recall {"query":"q","limit":10}`},
		{"question_ask", `{"question":"q"}`, `question.ask {"question":"q"}`},
		{"gate_run", `{"names":["unit"]}`, `gate {"names":["unit"],"output":true,"env":["A=1"]}`},
		{"context_status", `{}`, `session.find {"name":"ses-00000000000000000000000001"}`},
	} {
		b := &book{}
		if text, failed := call(t, newServer(b), c.tool, c.args); failed {
			t.Errorf("%s: %s", c.tool, text)
		}
		if !slices.Equal(b.asked, []string{c.want}) {
			t.Errorf("%s %s: asked %q, want %q", c.tool, c.args, b.asked, c.want)
		}
	}
}

// What the tool says against a call, and arguments that it does not take, are told
// to the model with what to do.
func TestToolErrors(t *testing.T) {
	b := &book{answer: func(context.Context, string, json.RawMessage) (string, error) {
		return "", kedge.Errorf(kedge.NotFound, "no feature %q", "a").WithHint("kedge features")
	}}
	if text, failed := call(t, newServer(b), "feature_get", `{"id":"a"}`); !failed || text != "no feature \"a\"\nnext: kedge features" {
		t.Errorf("%v %q", failed, text)
	}
	for _, args := range []string{`{"id":"a","force":true}`, `{"id":1}`, `[]`, `{"id":"a","id":"b"}`} {
		b := &book{}
		if text, failed := call(t, newServer(b), "feature_submit", args); !failed || !strings.Contains(text, "arguments of feature_submit") || len(b.asked) > 0 {
			t.Errorf("%s: %v %q, asked %q", args, failed, text, b.asked)
		}
	}
}

// TestT18OutsideOfASession: without a session only what reads answers.
func TestT18OutsideOfASession(t *testing.T) {
	for tool, reads := range map[string]bool{
		"feature_next": true, "feature_get": true, "recall": true, "context_status": false, "feature_submit": false, "checkpoint_save": false,
		"decision_propose": false, "note_add": false, "question_ask": false, "gate_run": false,
	} {
		b := &book{}
		s := newServer(b)
		s.Session = ""
		text, failed := call(t, s, tool, `{}`)
		if failed == reads || len(b.asked) > 0 != reads || failed && !strings.Contains(text, "works only inside a session of Kedge\nnext: ") {
			t.Errorf("%s: %v %q, asked %q", tool, failed, text, b.asked)
		}
	}
}

// A call that is withdrawn ends, and is not answered; nor is one whose server is
// ended.
func TestWithdrawn(t *testing.T) {
	begun, ended := make(chan struct{}, 2), make(chan struct{}, 2)
	b := &book{answer: func(ctx context.Context, name string, _ json.RawMessage) (string, error) {
		if name != "gate" {
			return "{}", nil
		}
		begun <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return "", ctx.Err()
	}}
	in, feed := io.Pipe()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var out bytes.Buffer
	done := make(chan error, 1)
	go func() { done <- newServer(b).Serve(ctx, in, &out) }()
	say := func(line string) {
		if _, err := io.WriteString(feed, line+"\n"); err != nil {
			t.Error(err)
		}
	}
	say(`{"jsonrpc":"2.0","id":"g1","method":"tools/call","params":{"name":"gate_run"}}`)
	<-begun
	say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"g1"}}`)
	<-ended
	say(`{"jsonrpc":"2.0","id":"g2","method":"tools/call","params":{"name":"gate_run"}}`)
	<-begun
	end()
	if err := <-done; !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("%v, said %s", err, out.String())
	}
	<-ended
	_ = feed.Close()
}

// While a call is being carried out its progress is told to who asked for that.
func TestProgress(t *testing.T) {
	got := settled(t, newServer(&book{}), 2, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"gate_run","_meta":{"progressToken":"p"}}}`)
	if got[0] != `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}` {
		t.Errorf("%s", got[0])
	}
}

// ending is an input that says when all of it was read.
type ending struct {
	io.Reader
	once  sync.Once
	ended chan struct{}
}

func (e *ending) Read(b []byte) (int, error) {
	n, err := e.Reader.Read(b)
	if err != nil {
		e.once.Do(func() { close(e.ended) })
	}
	return n, err
}

// TestEndOfInput: what was asked before the input ended is answered after it.
func TestEndOfInput(t *testing.T) {
	in := &ending{Reader: strings.NewReader(calls(20)), ended: make(chan struct{})}
	b := &book{answer: func(context.Context, string, json.RawMessage) (string, error) { <-in.ended; return `{}`, nil }}
	var out bytes.Buffer
	if err := newServer(b).Serve(t.Context(), in, &out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), `"result"`); n != 20 {
		t.Errorf("%d answers to 20 requests:\n%s", n, &out)
	}
}

// calls are so many calls of a tool.
func calls(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"feature_next"}}`+"\n", i)
	}
	return b.String()
}

// TestEndIsBounded: a tool that never ends does not keep the server for ever, and a
// client that is gone not at all.
func TestEndIsBounded(t *testing.T) {
	never := &book{answer: func(ctx context.Context, _ string, _ json.RawMessage) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}}
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		if err := newServer(never).Serve(t.Context(), strings.NewReader(calls(1)), &out); err != nil || out.Len() > 0 {
			t.Errorf("%v: %s", err, &out)
		}
	})
	from, to := io.Pipe()
	_ = from.Close()
	in := io.MultiReader(strings.NewReader(calls(1)+`{"jsonrpc":"2.0","id":"p","method":"ping"}`+"\n"), blocked{t.Context()})
	if err := newServer(never).Serve(t.Context(), in, to); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody listens: %v", err)
	}
}

// blocked is an input on which nothing comes.
type blocked struct{ ctx context.Context }

func (b blocked) Read([]byte) (int, error) { <-b.ctx.Done(); return 0, io.EOF }

// TestOpenRequestsAreBounded: who asks without waiting for answers is told so.
func TestOpenRequestsAreBounded(t *testing.T) {
	in := &ending{Reader: strings.NewReader(calls(131)), ended: make(chan struct{})}
	b := &book{answer: func(context.Context, string, json.RawMessage) (string, error) { <-in.ended; return `{}`, nil }}
	var out bytes.Buffer
	if err := newServer(b).Serve(t.Context(), in, &out); err != nil {
		t.Fatal(err)
	}
	if done, refused := strings.Count(out.String(), `"result"`), strings.Count(out.String(), "too many requests"); done != 128 || refused != 3 {
		t.Errorf("%d answered, %d refused", done, refused)
	}
}

// The same id twice is one call.
func TestSameID(t *testing.T) {
	hold := make(chan struct{})
	b := &book{answer: func(context.Context, string, json.RawMessage) (string, error) { <-hold; return "{}", nil }}
	in, feed := io.Pipe()
	from, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- newServer(b).Serve(t.Context(), in, out) }()
	const gate = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"gate_run"}}`
	go func() { _, _ = io.WriteString(feed, gate+"\n"+gate+"\n") }()
	dec := json.NewDecoder(from)
	var first, second json.RawMessage
	if err := dec.Decode(&first); err != nil || !strings.Contains(string(first), "is being carried out") {
		t.Errorf("%s (%v)", first, err)
	}
	close(hold)
	if err := dec.Decode(&second); err != nil || !strings.Contains(string(second), `"structuredContent":{}`) {
		t.Errorf("%s (%v)", second, err)
	}
	_ = feed.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// listed is what tools/list gives.
func listed(t *testing.T) []byte {
	t.Helper()
	got := settled(t, newServer(&book{}), 1, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var res struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal([]byte(got[0]), &res); err != nil {
		t.Fatal(err)
	}
	return res.Result
}

// TestRow2PublishedSchemas: the tools and their schemas are the published ones,
// and small, since every session reads them.
func TestRow2PublishedSchemas(t *testing.T) {
	raw := listed(t)
	const most = 7 << 10
	if len(raw) > most {
		t.Errorf("the list of tools has %d bytes, more than %d", len(raw), most)
	}
	var list struct {
		Tools []struct {
			Name, Description         string
			InputSchema, OutputSchema struct{ Type string }
		}
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if tool.InputSchema.Type != "object" || tool.OutputSchema.Type != "object" || tool.Description == "" {
			t.Errorf("%+v", tool)
		}
	}
	var nice bytes.Buffer
	if err := json.Indent(&nice, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	nice.WriteByte('\n')
	golden := filepath.Join("testdata", "tools.json")
	if *update {
		if err := os.WriteFile(golden, nice.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(want, nice.Bytes()) {
		t.Errorf("%s is not what is published (%v): go test ./internal/server/mcp -update", golden, err)
	}
}

// FuzzServe: whatever it is sent, the server ends with its input and says nothing
// but messages of JSON-RPC.
func FuzzServe(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note_add","arguments":{"text":"x"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"gate_run","_meta":{"progressToken":1}}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]`,
		"{}\n[]\nnull\n\"x\"\n{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
		"\x00\xff\n{", `{"jsonrpc":"2.0","id":"` + "\xff" + `","method":"ping"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, line := range serve(t, newServer(&book{}), string(b)) {
			if line == "" {
				continue
			}
			var many []json.RawMessage
			if json.Unmarshal([]byte(line), &many) != nil {
				many = []json.RawMessage{json.RawMessage(line)}
			}
			for _, one := range many {
				var m struct {
					Version string `json:"jsonrpc"`
				}
				if err := json.Unmarshal(one, &m); err != nil || m.Version != "2.0" {
					t.Fatalf("it says %q (%v)", line, err)
				}
			}
		}
	})
}
