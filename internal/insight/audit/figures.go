package audit

// Composition is the characters of a context by what they are.
type Composition struct {
	ToolResult    int64 `json:"tool_result"`
	ToolInput     int64 `json:"tool_input"`
	Thinking      int64 `json:"thinking"`
	AssistantText int64 `json:"assistant_text"`
	UserText      int64 `json:"user_text"`
	System        int64 `json:"system"` // system prompt, tool schemas, skills, and what hooks added
}

// Sum is the characters of the whole context.
func (c Composition) Sum() int64 {
	return c.ToolResult + c.ToolInput + c.Thinking + c.AssistantText + c.UserText + c.System
}

// Sources is the same characters by where they came from; the sums are equal.
type Sources struct {
	Rules          int64 `json:"rules"`
	ToolSchemas    int64 `json:"tool_schemas"`
	FileReads      int64 `json:"file_reads"`      // of files that the session did not edit afterwards
	StaleReads     int64 `json:"stale_reads"`     // of files that it did
	ToolOutput     int64 `json:"tool_output"`     // of all other tools
	FailedAttempts int64 `json:"failed_attempts"` // calls that failed: input and result
	Dialogue       int64 `json:"dialogue"`        // what people and the model wrote, the input of tools included
}

// Sum is the characters of the whole context.
func (s Sources) Sum() int64 {
	return s.Rules + s.ToolSchemas + s.FileReads + s.StaleReads + s.ToolOutput + s.FailedAttempts + s.Dialogue
}

// Tool is how often a tool was called, and how much it put into the context.
type Tool struct {
	Name        string `json:"name"`
	Calls       int64  `json:"calls"`
	ResultChars int64  `json:"result_chars"`

	Failed       int64 `json:"failed"`
	InputChars   int64 `json:"input_chars"`
	CarriedChars int64 `json:"carried_chars"` // of the results, each counted once for every reply that was given it

	other bool // its results are of no file and no command
}

// ModelUse is what one model was used for.
type ModelUse struct {
	Model            string   `json:"model"`
	Calls            int64    `json:"calls"`
	InputTokens      int64    `json:"input_tokens"` // without cache reads and writes
	CacheReadTokens  int64    `json:"cache_read_tokens"`
	CacheWriteTokens int64    `json:"cache_write_tokens"`
	OutputTokens     int64    `json:"output_tokens"`
	USD              *float64 `json:"usd"` // of the calls that have a price; nil: none has one

	CacheWriteHourTokens int64 `json:"cache_write_hour_tokens"` // of the cache writes: those that are kept for an hour
	UnpricedCalls        int64 `json:"unpriced_calls"`          // that usd does not have
}

// Figures is what is counted of one session, or of many; its JSON is S of
// `audit --json`. A nil figure is unknown.
type Figures struct {
	ID               string      `json:"id"`
	Parent           string      `json:"parent"` // the session whose sub-agent it is; empty where it is none's
	Agent            string      `json:"agent"`
	Model            string      `json:"model"` // the one of most replies; empty is unknown
	File             string      `json:"file"`
	StartedAt        *string     `json:"started_at"`
	EndedAt          *string     `json:"ended_at"`
	Calls            int64       `json:"calls"`
	MaxContextTokens *int64      `json:"max_context_tokens"`
	StartTokens      *int64      `json:"start_tokens"` // context of the first reply: instructions, tool schemas, rules, the first ask
	OutputTokens     *int64      `json:"output_tokens"`
	Compactions      int64       `json:"compactions"`
	Composition      Composition `json:"composition"`
	Sources          Sources     `json:"sources"`
	Unseen           []string    `json:"unseen"` // sources of which a transcript of this agent does not have all
	Tools            []Tool      `json:"tools"`
	Offered          []Offer     `json:"offered"` // tools that could be called; nil: the transcript does not say
	Models           []ModelUse  `json:"models"`
	Reads            int64       `json:"reads"`
	Rereads          int64       `json:"rereads"`
	RereadChars      int64       `json:"reread_chars"`
	StaleReadChars   int64       `json:"stale_read_chars"`
	Commands         int64       `json:"commands"`
	FailedCommands   int64       `json:"failed_commands"`
	RepeatedCommands int64       `json:"repeated_commands"`
	RepeatedChars    int64       `json:"repeated_chars"`     // results of repeated commands
	LongChars        int64       `json:"long_chars"`         // of tool output, what is beyond LongResult of one result
	ActionsToEdit    *int64      `json:"actions_to_edit"`    // tool calls before the first edit; nil: none was made
	CharsToEdit      *int64      `json:"read_chars_to_edit"` // read before it
	SkippedLines     int64       `json:"skipped_lines"`      // that could not be understood
	USD              *float64    `json:"usd"`                // of the calls that have a price; nil: none has one
	Estimated        bool        `json:"estimated"`          // usd, or a part of it, is computed from prices
	UnpricedCalls    int64       `json:"unpriced_calls"`     // that usd does not have
	UnknownUSD       int         `json:"unknown_usd"`        // sessions with such calls, or with partial_usage
	PartialUsage     bool        `json:"partial_usage"`      // a model was asked, or may have been, for things that the transcript does not have
	CopiedCalls      int64       `json:"copied_calls"`       // that the transcript has, and that are counted in another session
	Quality          *Quality    `json:"quality"`

	Dir       string      `json:"dir"`           // where it worked; empty is unknown
	Goal      string      `json:"goal"`          // the first request; empty is unknown
	Curve     []Point     `json:"context_curve"` // of one session: how its context filled
	Compacted []Compacted `json:"compacted"`     // of one session
	Kinds     *KindCosts  `json:"usd_by_kind"`   // what usd is made of; nil is unknown

	FilesAgain    []FileUse    `json:"files_again"`    // read again, those first that filled the context most by it
	CommandsAgain []CommandUse `json:"commands_again"` // run again, likewise
	Largest       []Filling    `json:"largest"`        // of one session: what filled its context most, by name

	Sessions int `json:"sessions"` // 1; of a sum, how many sessions it has

	Session string `json:"session,omitempty"` // of Kedge, in which it worked: its name
	Run     string `json:"run,omitempty"`     // that the session worked for
	Feature string `json:"feature,omitempty"` // that it worked on

	Replies []ReplyUse   `json:"-"` // of one session
	Files   []FileUse    `json:"-"` // of one session
	Ran     []CommandUse `json:"-"` // of one session

	packed []packed
	names  []string // of models, for packed

	divided bool // Kinds is what it is for these replies
}

// LongResult is the characters of one tool result above which it would have
// been shortened to its failures, its head and its tail.
const LongResult = 4000

// Price says what a model's tokens cost at a time (RFC 3339, empty where it is
// not known); nil where that is not known.
type Price func(model, at string, u Usage) *float64
