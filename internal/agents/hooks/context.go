package hooks

import "bytes"

// LastTokens is how many were in the context at last, by the end of the agent's own
// record of the conversation; false where that does not tell.
func (a Agent) LastTokens(tail []byte) (int64, bool) {
	for len(tail) > 0 && a.Tokens != nil {
		i := bytes.LastIndexByte(bytes.TrimRight(tail, "\n"), '\n')
		line := tail[i+1:]
		tail = tail[:i+1]
		if n := a.Tokens(line); n > 0 {
			return n, true
		}
	}
	return 0, false
}

// TimeToCompact is what the person at an agent is told whose context became large;
// empty where nothing is to be done, or the status line says it.
func (ev Input) TimeToCompact(tokens, threshold int64) string {
	command := ev.Agent.CompactCommand
	if command == "" || threshold <= 0 || tokens < threshold {
		return ""
	}
	return "kedge: the context holds " + thousands(tokens) + " tokens: " + command + " now, before the agent makes more mistakes"
}
