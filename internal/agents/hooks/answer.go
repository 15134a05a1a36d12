package hooks

import (
	"encoding/json"
	"path"

	"kedge"
)

func answer(v Object) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return nil // what cannot be said is not said: the agent goes on
	}
	return append(b, '\n')
}

// Context gives the model a text at the beginning of a conversation.
func (ev Input) Context(text string) []byte {
	if text == "" {
		return nil
	}
	if how := ev.Agent.Context; how != nil {
		return answer(how(text))
	}
	return answer(Object{"hookSpecificOutput": Object{"hookEventName": ev.Name, "additionalContext": text}})
}

// Deny keeps a tool from running; the model is told why.
func (ev Input) Deny(why string) []byte {
	if how := ev.Agent.Refuse; how != nil {
		return answer(how(why))
	}
	return answer(Object{"hookSpecificOutput": Object{
		"hookEventName": ev.Name, "permissionDecision": "deny", "permissionDecisionReason": why,
	}})
}

// Block makes an agent that means to be done go on; the model is told why.
func (ev Input) Block(why string) []byte {
	if how := ev.Agent.Refuse; how != nil {
		return answer(how(why))
	}
	return answer(Object{"decision": "block", "reason": why})
}

// Tell shows the person at the agent a line.
func (ev Input) Tell(text string) []byte {
	if text == "" {
		return nil
	}
	return answer(Object{"systemMessage": text})
}

// Focus is said before a compaction: what has to be kept and what may go. An agent
// that does not pass it on is told nothing.
func (ev Input) Focus(text string) []byte {
	if !ev.Agent.Focuses || text == "" {
		return nil
	}
	return []byte(text + "\n")
}

// Output is what a command that a tool ran has printed, with the file that has
// all of it where the agent keeps one; false where there is nothing of the kind,
// or where it cannot be replaced.
func (ev Input) Output() (text, file string, ok bool) {
	if !ev.Agent.Replaces || ev.Kind != kedge.HookTool || ev.Line() == "" {
		return "", "", false
	}
	if how := ev.Agent.Dialect.Output; how != nil {
		return how(ev.Response)
	}
	var r struct {
		Stdout *string `json:"stdout"`
		Stderr string  `json:"stderr"`
		Image  bool    `json:"isImage"`
		File   string  `json:"persistedOutputPath"`
	}
	if json.Unmarshal(ev.Response, &r) != nil || r.Stdout == nil || r.Image {
		return "", "", false
	}
	text = *r.Stdout
	if r.Stderr != "" {
		if text != "" && text[len(text)-1] != '\n' {
			text += "\n"
		}
		text += r.Stderr
	}
	return text, r.File, true
}

// Keeps tells whether a file is where, and named as, the agent itself puts the outputs
// that are too large for it; temp is the folder for temporary files. What a command
// prints can name any file: nobody else's may reach the model that way.
func (ev Input) Keeps(file, temp string) bool {
	dir, name := path.Split(file)
	if !path.IsAbs(file) || path.Clean(file) != file {
		return false
	}
	return ev.Agent.Keeps != nil && ev.Agent.Keeps(dir, name, temp)
}

// Replace gives the model another text than what the command printed: the answer
// has the shape of the tool's own, or the agent would not take it.
func (ev Input) Replace(text string) []byte {
	if how := ev.Agent.Dialect.Replace; how != nil {
		return answer(how(ev.Response, text))
	}
	var r map[string]json.RawMessage
	if json.Unmarshal(ev.Response, &r) != nil {
		return nil
	}
	b, err := json.Marshal(text)
	if err != nil {
		return nil
	}
	r["stdout"], r["stderr"] = b, json.RawMessage(`""`)
	delete(r, "persistedOutputPath")
	delete(r, "persistedOutputSize")
	return answer(Object{"hookSpecificOutput": Object{"hookEventName": ev.Name, "updatedToolOutput": r}})
}

// Size is how many bytes a tool gave.
func (ev Input) Size() int64 {
	var text string
	if json.Unmarshal(ev.Response, &text) == nil {
		return int64(len(text))
	}
	if text, _, ok := ev.Output(); ok {
		return int64(len(text))
	}
	return int64(len(ev.Response))
}
