package kedge

import "time"

// HookEvent is what an agent told by one of its hooks, whatever the agent calls
// it.
type HookEvent string

// The events of hooks.
const (
	HookStart     HookEvent = "start"     // a conversation begins, goes on, or was cleared or compacted
	HookBefore    HookEvent = "before"    // a tool is about to run; not written down
	HookTool      HookEvent = "tool"      // a tool has run
	HookCompact   HookEvent = "compact"   // the context is about to be compacted
	HookCompacted HookEvent = "compacted" // it was
	HookStop      HookEvent = "stop"      // the agent means to be done
	HookGate      HookEvent = "gate"      // what Kedge answered to that
	HookEnd       HookEvent = "end"       // the conversation ends
	HookStatus    HookEvent = "status"    // a status line is asked for; not written down
)

// HookData is the payload of HookSeen: what an agent that a person drives told
// of itself. It is the agent's word, not something that Kedge saw.
type HookData struct {
	Agent   string    `json:"agent"`
	Event   HookEvent `json:"event"`
	Session SessionID `json:"session,omitempty"` // Kedge's, where the agent runs in one
	Native  string    `json:"native,omitempty"`  // the agent's own id of the conversation
	At      time.Time `json:"at"`
	Source  string    `json:"source,omitempty"` // of a start; the trigger of a compaction; the reason of an end
	Mode    string    `json:"mode,omitempty"`   // the agent's permission mode
	Tool    string    `json:"tool,omitempty"`
	Call    string    `json:"call,omitempty"`   // the agent's id of the call
	Input   string    `json:"input,omitempty"`  // of the tool, shortened
	Failed  bool      `json:"failed,omitempty"` // the tool did
	Bytes   int64     `json:"bytes,omitempty"`  // what the tool gave
	Output  string    `json:"output,omitempty"` // where all of it is kept: kedge logs
	Shown   int64     `json:"shown,omitempty"`  // bytes of it that the model was given instead
	Sum     string    `json:"sum,omitempty"`    // of what the tool gave: two calls that gave the same have the same
	Text    string    `json:"text,omitempty"`   // what the agent was told
	Tokens  *int64    `json:"tokens,omitempty"` // of a compaction: in the context, before or after it; nil is unknown
	Verdict string    `json:"verdict,omitempty"`
	Blocked bool      `json:"blocked,omitempty"` // it was told to go on
}
