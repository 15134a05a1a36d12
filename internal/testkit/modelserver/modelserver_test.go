package modelserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"kedge/internal/testkit/modelserver"
)

// dialect is how a test speaks a protocol.
type dialect struct {
	name      string
	path      string // of a request in one piece
	streaming string
	body      func(text string, stream bool) string // offers a tool that writes files
	tool      string
	path2     string // where the figures stand in a reply: the key
	last      string // a text that only the end of a stream has
}

var dialects = []dialect{
	{
		name: "anthropic", path: "/v1/messages?beta=true", streaming: "/v1/messages", tool: `"name":"Write"`, path2: "usage", last: "message_stop",
		body: func(text string, stream bool) string {
			return `{"model":"m","stream":` + boolean(stream) + `,"system":[{"type":"text","text":"Working directory: /w"}],
				"tools":[{"name":"Write","input_schema":{"properties":{"file_path":{"type":"string"},"content":{"type":"string"}},"required":["file_path","content"]}}],
				"messages":[{"role":"user","content":[{"type":"text","text":` + quoted(text) + `}]},{"role":"system","content":"more"}]}`
		},
	},
	{
		name: "responses", path: "/v1/responses", streaming: "/v1/responses", tool: `"name":"exec_command"`, path2: "usage", last: "response.completed",
		body: func(text string, stream bool) string {
			return `{"model":"m","stream":` + boolean(stream) + `,"instructions":"be good",
				"tools":[{"type":"function","name":"exec_command","parameters":{"properties":{"cmd":{"type":"string"}},"required":["cmd"]}}],
				"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":` + quoted(text) + `}]}]}`
		},
	},
	{
		name: "chat", path: "/v1/chat/completions", streaming: "/v1/chat/completions", tool: `"name":"write"`, path2: "usage", last: "[DONE]",
		body: func(text string, stream bool) string {
			return `{"model":"m","stream":` + boolean(stream) + `,"messages":[{"role":"system","content":"be good"},{"role":"user","content":` + quoted(text) + `}],
				"tools":[{"type":"function","function":{"name":"write","parameters":{"properties":{"filePath":{"type":"string"},"content":{"type":"string"}}}}}]}`
		},
	},
	{
		name: "gemini", path: "/v1beta/models/m:generateContent", streaming: "/v1beta/models/m:streamGenerateContent?alt=sse", tool: `"name":"write_file"`,
		path2: "usageMetadata", last: `"finishReason":"STOP"`,
		body: func(text string, _ bool) string {
			return `{"contents":[{"role":"user","parts":[{"text":` + quoted(text) + `}]}],
				"tools":[{"functionDeclarations":[{"name":"write_file","parametersJsonSchema":{"properties":{"file_path":{"type":"string"},"content":{"type":"string"}}}}]}]}`
		},
	},
}

func boolean(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func start(t *testing.T) *modelserver.Server {
	t.Helper()
	s, err := modelserver.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// head is the head of a reply.
type head struct {
	StatusCode int
	Header     http.Header
}

// ask sends a request and gives the reply.
func ask(t *testing.T, s *modelserver.Server, d dialect, text string, stream bool) (head, string, error) {
	t.Helper()
	path := d.path
	if stream {
		path = d.streaming
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(d.body(text, stream)))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	return head{res.StatusCode, res.Header}, string(b), err
}

func each(t *testing.T, test func(t *testing.T, s *modelserver.Server, d dialect, stream bool)) {
	for _, d := range dialects {
		for _, stream := range []bool{false, true} {
			t.Run(d.name+"/stream="+boolean(stream), func(t *testing.T) { test(t, start(t), d, stream) })
		}
	}
}

// A script is played turn by turn, and what it used is counted.
func TestScriptIsPlayed(t *testing.T) {
	each(t, func(t *testing.T, s *modelserver.Server, d dialect, stream bool) {
		want := modelserver.Usage{Input: 11, CacheRead: 22, CacheWrite: 33, Output: 44}
		s.Play("one", modelserver.Script{Turns: []modelserver.Turn{
			{Text: "I write", Thinking: "so be it", Calls: []modelserver.Call{{Do: modelserver.Write, Path: "a.txt", Text: "hello"}}, Usage: &want},
			{Text: "second"},
		}})
		mark := "do it " + modelserver.Mark("one")
		res, body, err := ask(t, s, d, mark, stream)
		if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(body, d.tool) || !strings.Contains(body, "hello") || !strings.Contains(body, "so be it") {
			t.Fatalf("%d, %v:\n%s", res.StatusCode, err, body)
		}
		figure := "44"
		if d.name == "gemini" {
			figure = `"candidatesTokenCount":42,"promptTokenCount":66,"thoughtsTokenCount":2` // thoughts are counted apart
		}
		if stream != strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") || !strings.Contains(body, figure) {
			t.Errorf("%s\n%s", res.Header, body)
		}
		if got := s.Totals("one"); got.Usage != want || got.Replies != 1 {
			t.Errorf("counted %+v", got)
		}
		if _, body, _ = ask(t, s, d, mark, stream); !strings.Contains(body, "second") {
			t.Errorf("the second turn is %s", body)
		}
		if _, body, _ = ask(t, s, d, mark, stream); !strings.Contains(body, "Done.") {
			t.Errorf("after the last turn: %s", body)
		}
		if got := s.Totals("one"); got.Replies != 3 || got.Output <= want.Output || got.CacheRead <= want.CacheRead {
			t.Errorf("counted %+v", got)
		}
		if got := s.Records(); len(got) != 3 || got[0].Conversation != "one" || got[0].Protocol != d.name || !bytes.Contains(got[0].Body, []byte("do it")) {
			t.Errorf("recorded %+v", got)
		}
	})
}

// The figures of every protocol are those that are counted.
func TestFigures(t *testing.T) {
	each(t, func(t *testing.T, s *modelserver.Server, d dialect, stream bool) {
		s.Play("one", modelserver.Script{Turns: []modelserver.Turn{{Text: "hi", Usage: &modelserver.Usage{Input: 1000, CacheRead: 200, CacheWrite: 30, Output: 4}}}})
		_, body, _ := ask(t, s, d, modelserver.Mark("one"), stream)
		if stream {
			body = lastWith(body, `"`+d.path2+`"`)
		}
		var got map[string]any
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatalf("%v:\n%s", err, body)
		}
		if r, ok := got["response"].(map[string]any); ok {
			got = r
		}
		usage, _ := json.Marshal(got[d.path2])
		for _, want := range map[string][]string{
			"anthropic": {`"input_tokens":1000`, `"cache_read_input_tokens":200`, `"cache_creation_input_tokens":30`, `"output_tokens":4`},
			"responses": {`"input_tokens":1230`, `"cached_tokens":200`, `"output_tokens":4`, `"total_tokens":1234`},
			"chat":      {`"prompt_tokens":1230`, `"cached_tokens":200`, `"completion_tokens":4`},
			"gemini":    {`"promptTokenCount":1230`, `"cachedContentTokenCount":200`, `"candidatesTokenCount":4`},
		}[d.name] {
			if !strings.Contains(string(usage), want) {
				t.Errorf("%s is not in %s", want, usage)
			}
		}
	})
}

// lastWith is the data of the last event of a stream that has the words.
func lastWith(stream, words string) string {
	out := ""
	lines := bufio.NewScanner(strings.NewReader(stream))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && strings.Contains(data, words) {
			out = data
		}
	}
	return out
}

// Every fault is met once, and the turn that it hit is given afterwards.
func TestFaults(t *testing.T) {
	each(t, func(t *testing.T, s *modelserver.Server, d dialect, stream bool) {
		for _, f := range []struct {
			kind   modelserver.FaultKind
			status int
			text   string
		}{
			{modelserver.RateLimit, 429, "rate limit"},
			{modelserver.Overloaded, 529, "Overloaded"},
			{modelserver.ServerError, 500, "internal error"},
			{modelserver.TooLong, 400, "prompt is too long"},
			{modelserver.Unauthorized, 401, "invalid x-api-key"},
		} {
			if f.status == 529 && d.name != "anthropic" {
				f.status = 503
			}
			s.Play("one", modelserver.Script{Turns: []modelserver.Turn{{Text: "at last", Faults: []modelserver.Fault{{Kind: f.kind, RetryAfter: 7}}}}})
			res, body, err := ask(t, s, d, modelserver.Mark("one"), stream)
			if err != nil || res.StatusCode != f.status || !strings.Contains(body, f.text) {
				t.Errorf("%s: %d, %v: %s", f.kind, res.StatusCode, err, body)
			}
			if after := res.Header.Get("Retry-After"); (after == "7") != (f.kind == modelserver.RateLimit) {
				t.Errorf("%s: retry after %q", f.kind, after)
			}
			if _, body, _ := ask(t, s, d, modelserver.Mark("one"), stream); !strings.Contains(body, "at last") {
				t.Errorf("after %s: %s", f.kind, body)
			}
			if got := s.Totals("one"); got.Faults != 1 || got.Replies != 1 {
				t.Errorf("%s is counted as %+v", f.kind, got)
			}
		}
	})
}

// A fault can be meant for some requests only.
func TestFaultUnless(t *testing.T) {
	m := modelserver.NewModel()
	m.Play("x", modelserver.Script{Turns: []modelserver.Turn{{Text: "At last.", Faults: []modelserver.Fault{{Kind: modelserver.Stall, Unless: "hurry|go on"}}}}})
	ask := func(said ...string) modelserver.Reply {
		return m.Answer(modelserver.Request{Said: said, Tools: map[string]modelserver.Tool{"t": {}}})
	}
	if r := ask(modelserver.Mark("x"), "please go on"); r.Fault != nil {
		t.Errorf("met %+v", r.Fault)
	}
	if r := ask(modelserver.Mark("x")); r.Fault == nil || r.Fault.Kind != modelserver.Stall {
		t.Errorf("met %+v", r.Fault)
	}
	if r := ask(modelserver.Mark("x")); r.Fault != nil {
		t.Errorf("met again: %+v", r.Fault)
	}
}

// A reply that is cut has no end and is no reply; the turn is given again. What it
// told when it began counts.
func TestCut(t *testing.T) {
	each(t, func(t *testing.T, s *modelserver.Server, d dialect, stream bool) {
		s.Play("one", modelserver.Script{Turns: []modelserver.Turn{{Text: strings.Repeat("many words ", 50), Faults: []modelserver.Fault{{Kind: modelserver.Stall}}}}})
		path := d.path
		if stream {
			path = d.streaming
		}
		res, err := http.Post(s.URL+path, "application/json", strings.NewReader(d.body(modelserver.Mark("one"), stream)))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		begin := make([]byte, 1)
		if _, err := res.Body.Read(begin); err != nil {
			t.Fatal(err)
		}
		s.Cut()
		body, err := io.ReadAll(res.Body)
		if err == nil || strings.Contains(string(body), d.last) {
			t.Errorf("%v after %s", err, body)
		}
		got := s.Totals("one")
		if begun := strings.Contains(path, "/messages") && stream; got.Replies != 0 || begun != (got.Usage != modelserver.Usage{}) || begun && got.Output != 1 {
			t.Errorf("counted %+v", got)
		}
		if _, body, err := ask(t, s, d, modelserver.Mark("one"), stream); err != nil || !strings.Contains(body, "many words") {
			t.Errorf("again: %v, %s", err, body)
		}
	})
}

// A reply that stalls begins, and stays where it is until who asked goes away.
func TestStall(t *testing.T) {
	each(t, func(t *testing.T, s *modelserver.Server, d dialect, stream bool) {
		s.Play("one", modelserver.Script{Turns: []modelserver.Turn{{Text: strings.Repeat("many words ", 50), Faults: []modelserver.Fault{{Kind: modelserver.Stall}}}}})
		ctx, cancel := context.WithCancel(t.Context())
		path := d.path
		if stream {
			path = d.streaming
		}
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+path, strings.NewReader(d.body(modelserver.Mark("one"), stream)))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		if _, err := res.Body.Read(make([]byte, 1)); err != nil {
			t.Errorf("it does not begin: %v", err)
		}
		cancel()
		if _, err := io.ReadAll(res.Body); !errors.Is(err, context.Canceled) {
			t.Errorf("it ended by itself: %v", err)
		}
	})
}

// What agents ask beside the model, and asides that play no turn.
func TestAsides(t *testing.T) {
	s := start(t)
	for _, c := range []struct {
		method, path, body, want string
		status                   int
	}{
		{http.MethodHead, "/", "", "", 200},
		{http.MethodGet, "/v1/models", "", "list", 200},
		{http.MethodGet, "/nowhere", "", "nothing", 404},
		{http.MethodPost, "/v1/messages/count_tokens", `{"messages":[{"role":"user","content":"hello"}]}`, "input_tokens", 200},
		{http.MethodPost, "/v1beta/models/m:countTokens", `{}`, "totalTokens", 200},
		{http.MethodPost, "/v1/messages", `[`, "error", 400},
		{http.MethodPost, "/v1/responses", `"`, "error", 400},
		{http.MethodPost, "/v1/chat/completions", `{"messages":1}`, "error", 400},
		{http.MethodPost, "/v1beta/models/m:generateContent", `1`, "error", 400},
	} {
		req, _ := http.NewRequestWithContext(t.Context(), c.method, s.URL+c.path, strings.NewReader(c.body))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != c.status || !strings.Contains(string(b), c.want) {
			t.Errorf("%s %s: %d %s", c.method, c.path, res.StatusCode, b)
		}
	}
	s.Play("one", modelserver.Script{Turns: []modelserver.Turn{{Text: "the turn"}}})
	no := dialect{path: "/v1/messages", body: func(text string, _ bool) string {
		return `{"messages":[{"role":"user","content":` + quoted(text) + `}]}`
	}}
	if _, body, _ := ask(t, s, no, "a title for "+modelserver.Mark("one"), false); !strings.Contains(body, modelserver.Mark("one")) {
		t.Errorf("an aside is answered %s", body)
	}
	if got := s.Totals("one"); got.Aside != 1 || got.Replies != 1 || got.Output == 0 {
		t.Errorf("counted %+v", got)
	}
	form := dialect{path: "/v1/chat/completions", body: func(text string, _ bool) string {
		return `{"messages":[{"role":"user","content":` + quoted(text) + `}],"tool_choice":"required","tools":[{"function":{"name":"judge","parameters":` +
			`{"properties":{"bad":{"type":"boolean"}},"required":["bad"]}}}]}`
	}}
	if _, body, _ := ask(t, s, form, "may it? "+modelserver.Mark("one"), false); !strings.Contains(body, `"name":"judge"`) || !strings.Contains(body, `{\"bad\":false}`) {
		t.Errorf("a form is answered %s", body)
	}
	if got, all := s.Totals("one"), s.Everything(); got.Aside != 2 || got.Usage != all {
		t.Errorf("counted %+v of %+v", got, all)
	}
	if _, body, _ := ask(t, s, dialects[0], modelserver.Mark("one"), false); !strings.Contains(body, "the turn") {
		t.Errorf("the aside played the turn: %s", body)
	}
}

// Conversations beside each other have their own scripts.
func TestConversationsAreApart(t *testing.T) {
	s := start(t)
	for _, name := range []string{"a", "b"} {
		s.Play(name, modelserver.Script{Turns: []modelserver.Turn{{Text: "first of " + name}, {Text: "second of " + name}}})
	}
	for _, turn := range []string{"first of ", "second of "} {
		for _, name := range []string{"a", "b"} {
			if _, body, _ := ask(t, s, dialects[2], modelserver.Mark(name), true); !strings.Contains(strings.ReplaceAll(body, `"}`, ""), turn) {
				t.Errorf("%s is told %s", name, body)
			}
		}
	}
	if s.Totals("a").Replies != 2 || s.Totals("b").Replies != 2 || s.Totals("c").Replies != 0 {
		t.Errorf("counted %+v, %+v", s.Totals("a"), s.Totals("b"))
	}
}

func TestAwait(t *testing.T) {
	s := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got := make(chan error, 1)
	go func() {
		_, err := s.Await(ctx, func(r modelserver.Record) bool { return r.Conversation == "x" })
		got <- err
	}()
	for _, name := range []string{"w", "x"} {
		if _, _, err := ask(t, s, dialects[0], modelserver.Mark(name), false); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
	gone, stop := context.WithCancelCause(ctx)
	stop(errors.New("enough"))
	if _, err := s.Await(gone, func(modelserver.Record) bool { return false }); err == nil || err.Error() != "enough" {
		t.Errorf("waited until %v", err)
	}
}
