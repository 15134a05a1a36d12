package acp

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"kedge/internal/agents"
	"kedge/internal/agents/stream"
)

// message is a line of the protocol: an answer (ID and Result or Error), a request
// (ID and Method) or a notice (Method).
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Session string   `json:"sessionId"`
		Update  update   `json:"update"`
		Call    update   `json:"toolCall"`
		Options []option `json:"options"`
	} `json:"params"`
	Result result   `json:"result"`
	Error  *failure `json:"error"`
}

// result is as much as is read of the answer to any request.
type result struct {
	Protocol int `json:"protocolVersion"` // initialize
	Info     struct {
		Version string `json:"version"`
	} `json:"agentInfo"`
	Can struct {
		Load    bool `json:"loadSession"`
		Session struct {
			Resume json.RawMessage `json:"resume"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`

	Session string `json:"sessionId"` // session/new
	Modes   struct {
		Current string `json:"currentModeId"`
		All     []struct {
			ID string `json:"id"`
		} `json:"availableModes"`
	} `json:"modes"`
	Models struct {
		Current string `json:"currentModelId"`
		All     []struct {
			ID   string `json:"modelId"`
			Meta struct {
				Window int64 `json:"contextLimit"`
			} `json:"_meta"`
		} `json:"availableModels"`
	} `json:"models"`

	Stop  string  `json:"stopReason"` // session/prompt
	Usage *Tokens `json:"usage"`
}

// failure is why a request failed. Code is one of JSON-RPC, or the status of HTTP
// that a provider answered.
type failure struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// noLogin is the protocol's own code for who has to log in first.
const noLogin = -32000

// status is that of HTTP which the provider answered: the code of the error, the
// code in an answer that is passed on as it came, or the number that begins what is
// said; 0 when it is not told.
func (e *failure) status() int {
	if e.Code >= 400 && e.Code <= 599 {
		return e.Code
	}
	var answer struct {
		Error struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(e.Message), &answer) == nil && answer.Error.Code >= 400 && answer.Error.Code <= 599 {
		return answer.Error.Code
	}
	if n := stream.StatusIn(e.details()); n != 0 {
		return n
	}
	return stream.StatusIn(e.Message)
}

// details are what is said beside the message.
func (e *failure) details() string {
	var data struct {
		Details string `json:"details"`
		Message string `json:"message"`
	}
	if json.Unmarshal(e.Data, &data) != nil {
		_ = json.Unmarshal(e.Data, &data.Details) // it may be a text, or nothing
	}
	return cmp.Or(data.Details, data.Message)
}

// text is all that is said of it: some programs pass on what the provider
// answered, which is an object.
func (e *failure) text() string {
	var answer struct {
		Error struct {
			Message string `json:"message"`
			Status  string `json:"status"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(e.Message), &answer) == nil && answer.Error.Message != "" {
		return strings.TrimSuffix(answer.Error.Message+" ("+answer.Error.Status+")", " ()")
	}
	more := e.details()
	if more == "" || strings.Contains(e.Message, more) {
		return e.Message
	}
	return e.Message + ": " + more
}

// meaning is what it means for the session that it ends: by the provider's
// status, wherever the program puts it, else by the words that stand for one. Any other
// number in the words is none.
func (e *failure) meaning() agents.Meaning {
	status, text := e.status(), e.text()
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	switch {
	case status == 401 || status == 403 || e.Code == noLogin:
		return agents.NoLogin
	case status == 429 || status >= 500:
		return agents.Limited
	case status != 0:
		return agents.Failed
	case has("UNAUTHENTICATED", "API key not valid", "invalid_api_key", "nvalid api key"):
		return agents.NoLogin
	case has("RESOURCE_EXHAUSTED", "UNAVAILABLE", "ate limit", "verloaded", "Connection error", "Could not connect", "fetch failed", "terminated"):
		return agents.Limited
	default:
		return agents.Failed
	}
}

// option is an answer that a program offers to the question whether it may do
// something.
type option struct {
	ID   string `json:"optionId"`
	Kind string `json:"kind"`
}

// update is something that happened, or the call that a permission is asked
// for. Which fields it has depends on its kind.
type update struct {
	Kind    string          `json:"sessionUpdate"`
	Content json.RawMessage `json:"content"` // of a message one block, of a call a list

	ID        string          `json:"toolCallId"`
	Title     string          `json:"title"`
	ToolKind  string          `json:"kind"`
	Status    string          `json:"status"`
	Input     json.RawMessage `json:"rawInput"`
	Output    json.RawMessage `json:"rawOutput"`
	Locations []struct {
		Path string `json:"path"`
	} `json:"locations"`

	Used *int64 `json:"used"` // usage_update
	Size *int64 `json:"size"`
	Cost *struct {
		Amount   float64 `json:"amount"`
		Currency string  `json:"currency"`
	} `json:"cost"`

	Meta struct {
		Tool   string  `json:"toolName"`
		Usage  *Tokens `json:"usage"`
		Parent string  `json:"parentToolCallId"`
	} `json:"_meta"`
}

// Tokens counts; Input is with what was read from a cache.
type Tokens struct {
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	Thought    int64 `json:"thoughtTokens"`
	CacheRead  int64 `json:"cachedReadTokens"`
	CacheWrite int64 `json:"cachedWriteTokens"`
	All        int64 `json:"totalTokens"`
}

// block is a part of what a call shows: a text, or a file before and after.
type block struct {
	Type    string `json:"type"`
	Path    string `json:"path"`
	Content struct {
		Text string `json:"text"`
	} `json:"content"`
}

// said is the text of a message.
func (u *update) said() string {
	var block struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	_ = json.Unmarshal(u.Content, &block) // a list of a call's blocks has none
	return block.Text
}

// blocks of a call.
func (u *update) blocks() []block {
	var all []block
	_ = json.Unmarshal(u.Content, &all) // a message has none
	return all
}

// shown is the text of what a call shows; where it shows none, its output as it
// is.
func (u *update) shown() string {
	var all []string
	for _, b := range u.blocks() {
		if b.Content.Text != "" {
			all = append(all, b.Content.Text)
		}
	}
	if len(all) == 0 {
		return stream.InputText(u.Output)
	}
	return strings.Join(all, "\n")
}
