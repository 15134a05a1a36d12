package gemini

import (
	"bytes"
	"encoding/json"
	"strconv"

	"kedge/internal/agents/acp"
	"kedge/internal/agents/stream"
	"kedge/internal/core/watch"
)

// Gemini tells over the protocol what a prompt used only when it is over, and
// never how full the context is. Its telemetry tells it of every request, so it is
// made to write that to a descriptor of its own, where a few lines of shell pick
// out the records that count and put each on one line of the output, behind a
// character that no JSON holds. So the records cannot be taken for the protocol,
// nor tear a line of it, and a program that has nothing to say prints nothing. The
// records come up to five seconds late, and the last ones when the program ends.
const meterScript = `p='^[{}]$|"event\.name": "gemini_cli\.(api_response|api_error|chat_compression)"|"(input|output|cached_content|thoughts|tool)_token_count": |"tokens_after": |^    "(model|role)": "|^    "status_code": '
if echo x | grep --line-buffered -qE x 2>/dev/null; then pick() { grep --line-buffered -E "$p"; }; else pick() { cat; }; fi
exec 4>&1
rc=$({ { "$@" 3>&1 1>&4 4>&- 5>&-; echo $? >&5; } | pick | {
r=
while IFS= read -r l; do
case $l in
'{') r= ;;
'}') case $r in *'"event.name": "gemini_cli.'*) printf '\036{%s"end": 0}\n' "$r" >&4 ;; esac; r= ;;
*'"event.name": "gemini_cli.api_response"'* | *'"event.name": "gemini_cli.api_error"'* | *'"event.name": "gemini_cli.chat_compression"'* | \
*'_token_count": '* | *'"tokens_after": '* | '    "model": "'* | '    "role": "'* | '    "status_code": '*) r="$r${l%,}, " ;;
esac
done
}; } 5>&1)
[ "$rc" -gt 128 ] && kill -"$((rc - 128))" $$
exit "$rc"`

// meterMark begins a reading.
const meterMark = 0x1e

// telemetry parts readings from the rest of what a program prints, in whatever
// pieces it comes.
type telemetry struct {
	inside bool
	part   []byte
}

// maxReading bounds one: it is a handful of figures.
const maxReading = 16 << 10

// reading is one record of the telemetry.
type reading struct {
	Name    string `json:"event.name"`
	Model   string `json:"model"`
	Role    string `json:"role"`
	Status  any    `json:"status_code"`
	Input   int64  `json:"input_token_count"` // with what was read from a cache
	Output  int64  `json:"output_token_count"`
	Cached  int64  `json:"cached_content_token_count"`
	Thought int64  `json:"thoughts_token_count"`
	Tool    int64  `json:"tool_token_count"`
	After   int64  `json:"tokens_after"`
}

// Split implements acp.Beside.
func (t *telemetry) Split(b []byte, rest func([]byte), each func(acp.Reading)) {
	for len(b) > 0 {
		if !t.inside {
			i := bytes.IndexByte(b, meterMark)
			if i < 0 {
				rest(b)
				return
			}
			rest(b[:i])
			t.inside, t.part, b = true, nil, b[i+1:]
			continue
		}
		i := bytes.IndexByte(b, '\n')
		end := max(i, 0)
		if i < 0 {
			end = len(b)
		}
		if len(t.part)+end <= maxReading {
			t.part = append(t.part, b[:end]...)
		}
		if i < 0 {
			return
		}
		var r reading
		if json.Unmarshal(t.part, &r) == nil {
			each(r.means())
		}
		t.inside, t.part, b = false, nil, b[i+1:]
	}
}

// means is what a record means for the session.
func (m reading) means() acp.Reading {
	switch m.Name {
	case "gemini_cli.api_response":
		t := acp.Tokens{Input: m.Input + m.Tool, Output: m.Output + m.Thought, CacheRead: m.Cached}
		return acp.Reading{Reply: &t, Model: m.Model, Main: m.Role == "main" || m.Role == ""}
	case "gemini_cli.api_error":
		return acp.Reading{Events: refused(m)}
	case "gemini_cli.chat_compression":
		out := []watch.Act{{Kind: watch.Compact}}
		if m.After > 0 {
			out = append(out, stream.Used(&watch.Used{Context: &m.After})...)
		}
		return acp.Reading{Events: out}
	default:
		return acp.Reading{}
	}
}

// refused is a request that failed, and may be made again.
func refused(m reading) []watch.Act {
	code, _ := m.Status.(float64)
	switch {
	case code == 429 || code == 503 || code == 529:
		return []watch.Act{{Kind: watch.Limit, Text: "the provider refuses"}}
	case code == 401 || code == 403:
		return []watch.Act{{Kind: watch.NoLogin, Text: "the provider does not accept the login"}}
	case code > 0:
		return []watch.Act{{Kind: watch.Retry, Text: "HTTP " + strconv.Itoa(int(code))}}
	default:
		return nil
	}
}
