package claude

import (
	"encoding/json"
	"strings"
)

// event is as much of a line of Claude Code as is read here.
type event struct {
	Type      string          `json:"type"`
	Subtype   string          `json:"subtype"`
	SessionID string          `json:"session_id"`
	Parent    string          `json:"parent_tool_use_id"`
	Message   json.RawMessage `json:"message"`
	Error     json.RawMessage `json:"error"` // of a reply that is none, and of a retry

	CWD     string `json:"cwd"` // init
	Model   string `json:"model"`
	Version string `json:"claude_code_version"`

	Compact struct {
		Trigger string `json:"trigger"`
		Post    int64  `json:"post_tokens"`
	} `json:"compact_metadata"`

	State         string `json:"status"` // status
	CompactResult string `json:"compact_result"`
	CompactError  string `json:"compact_error"`

	RetryMS float64 `json:"retry_delay_ms"` // api_retry

	Rate struct {
		Status   string          `json:"status"`
		ResetsAt json.RawMessage `json:"resetsAt"`
		Type     string          `json:"rateLimitType"`
	} `json:"rate_limit_info"`

	Event struct { // stream_event
		Type    string  `json:"type"`
		Message message `json:"message"`
		Usage   tokens  `json:"usage"`
	} `json:"event"`
	Abandoned json.RawMessage `json:"abandoned_blocks"` // of a message_stop: the reply broke off

	RequestID string `json:"request_id"` // control_request
	Request   struct {
		Subtype string          `json:"subtype"`
		Tool    string          `json:"tool_name"`
		Use     string          `json:"tool_use_id"`
		Input   json.RawMessage `json:"input"`
	} `json:"request"`

	Response struct { // control_response
		Subtype  string `json:"subtype"`
		ID       string `json:"request_id"`
		Response struct {
			Max int64 `json:"maxTokens"`
		} `json:"response"`
	} `json:"response"`

	IsError  bool                  `json:"is_error"` // result
	Status   int                   `json:"api_error_status"`
	Terminal string                `json:"terminal_reason"`
	Result   string                `json:"result"`
	Errors   []string              `json:"errors"`
	Cost     *float64              `json:"total_cost_usd"`
	Models   map[string]modelUsage `json:"modelUsage"`
	Since    map[string]modelUsage `json:"model_usage_since_last_result"` // newer versions
}

// modelUsage is what a process has used of one model so far, sub-agents
// included; or what it has used since its last result.
type modelUsage struct {
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	CacheRead  int64 `json:"cacheReadInputTokens"`
	CacheWrite int64 `json:"cacheCreationInputTokens"`
	Window     int64 `json:"contextWindow"`

	USD float64 `json:"costUSD"`
}

// tokens are the figures of one reply.
type tokens struct {
	Input      int64 `json:"input_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	Output     int64 `json:"output_tokens"`
	Creation   struct {
		Hour int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

func (t tokens) all() int64 { return t.Input + t.CacheRead + t.CacheWrite }

type message struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"`
	Usage   tokens          `json:"usage"`
}

type block struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Text    string          `json:"text"`
	Input   json.RawMessage `json:"input"`
	Use     string          `json:"tool_use_id"`
	Error   bool            `json:"is_error"`
	Content json.RawMessage `json:"content"`
}

// message is what the event carries; nothing when it is none.
func (ev *event) message() message {
	var m message
	_ = json.Unmarshal(ev.Message, &m) // what it cannot be read as, it is not
	return m
}

// errorName is the name of an error, which stands there as it is or in an object.
func (ev *event) errorName() string {
	var name string
	if json.Unmarshal(ev.Error, &name) == nil {
		return name
	}
	var o struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(ev.Error, &o)
	return o.Type
}

// blocks of a message; one that is only a text has none.
func (m message) blocks() []block {
	var all []block
	_ = json.Unmarshal(m.Content, &all)
	return all
}

// output is the text of a result: a string, or the texts among its parts.
func (b block) output() string {
	var text string
	if json.Unmarshal(b.Content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(b.Content, &parts)
	var all []string
	for _, p := range parts {
		if p.Text != "" {
			all = append(all, p.Text)
		}
	}
	return strings.Join(all, "\n")
}
