package acp_test

import (
	"bytes"
	"errors"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/gemini"
	"kedge/internal/core/watch"
)

// metering is a program in Gemini's place: it writes telemetry, a metric that
// nobody asked for, and a line of the protocol, and then does what is given.
const metering = `cat > /dev/fd/3 <<'END'
{
  "hrTime": [
    1800000000,
    5
  ],
  "attributes": {
    "event.name": "gemini_cli.api_response",
    "model": "gemini-x",
    "status_code": 200,
    "input_token_count": 1200,
    "output_token_count": 30,
    "cached_content_token_count": 1000,
    "thoughts_token_count": 4,
    "tool_token_count": 0,
    "role": "main"
  },
  "totalAttributesCount": 9
}
{
  "attributes": {
    "event.name": "gemini_cli.api_error",
    "model": "gemini-x",
    "status_code": 429
  }
}
{
  "attributes": {
    "event.name": "gemini_cli.tool_call",
    "function_name": "x"
  }
}
{
  "scopeMetrics": [
    {
      "descriptor": {
        "name": "gemini_cli.token.usage"
      }
    }
  ]
}
END
read line
echo "{\"heard\": \"$line\"}"
`

// meteredRun is what comes of a program behind the shell that picks out its
// telemetry.
func meteredRun(t *testing.T, more string) ([]byte, error) {
	t.Helper()
	s, err := gemini.New([]string{"sh", "-c", metering + more}).Start(agents.Task{})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), s.Command[0], s.Command[1:]...)
	cmd.Stdin = strings.NewReader("hello\n")
	return cmd.Output()
}

func TestGeminiMeter(t *testing.T) {
	out, err := meteredRun(t, "exit 3")
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("it ended with %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	marks := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !strings.HasPrefix(l, "\x1e") })
	if len(lines) != 3 || len(marks) != 2 || !slices.Contains(lines, `{"heard": "hello"}`) {
		t.Fatalf("it printed %q", out)
	}
	r := gemini.New(nil).Reader(agents.Task{})
	evs, _ := r.Feed([]byte(strings.Join(marks, "\n")+"\n"), time.Time{})
	n := func(i int64) *int64 { return &i }
	want := []watch.Act{
		{Kind: watch.Usage, Used: &watch.Used{Input: n(200), CacheRead: n(1000), Output: n(34), Context: n(1234), Model: "gemini-x"}},
		{Kind: watch.Turn},
		{Kind: watch.Limit, Text: "the provider refuses"},
	}
	if !reflect.DeepEqual(evs, want) || r.Broken() != 0 {
		t.Errorf("it means %+v", evs)
	}
}

// A program that is killed is seen to be, through the shell around it.
func TestGeminiMeterKilled(t *testing.T) {
	_, err := meteredRun(t, "kill -9 $$")
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("it ended with %v", err)
	}
	if s, ok := exit.Sys().(syscall.WaitStatus); !ok || !s.Signaled() || s.Signal() != syscall.SIGKILL {
		t.Errorf("it ended with %v", err)
	}
}

// A reading in the middle of a line of the protocol leaves the line whole.
func TestGeminiReadingInTheMiddle(t *testing.T) {
	line := acpUpdate(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"All is well."}}`)
	torn := line[:40] + "\x1e{\"event.name\": \"gemini_cli.chat_compression\", \"tokens_after\": 7, \"end\": 0}\n" + line[40:]
	for _, size := range []int{1, 5, len(torn)} {
		r := gemini.New(nil).Reader(agents.Task{})
		r.Open(nil)
		var evs []watch.Act
		for piece := range slices.Chunk(bytes.Join([][]byte{[]byte(acpBegun), []byte(torn), []byte(acpGood)}, nil), size) {
			got, _ := r.Feed(piece, time.Time{})
			evs = append(evs, got...)
		}
		if len(evs) != 3 || evs[0].Kind != watch.Compact || *evs[1].Used.Context != 7 || evs[2].Text != "All is well." || r.Broken() != 0 {
			t.Errorf("in pieces of %d: %+v", size, evs)
		}
	}
}
