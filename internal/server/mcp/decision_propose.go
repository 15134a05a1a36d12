package mcp

import (
	"kedge"
	"kedge/internal/app/memory"
)

// decisionPropose is `kedge decide`.
func decisionPropose() tool {
	type args struct {
		Title      string           `json:"title"`
		Why        string           `json:"why"`
		Rejected   []kedge.Rejected `json:"rejected"`
		AppliesTo  []string         `json:"applies_to"`
		Supersedes kedge.DecisionID `json:"supersedes"`
		Reason     string           `json:"reason"`
	}
	return tool{
		name: "decision_propose", scope: acting,
		about: "Propose a decision that later sessions must keep to. It is locked at once, unless a locked one covers the same: then name that in supersedes, with a reason.",
		input: `{"type":"object","required":["title","why"],"properties":{"title":{"type":"string"},"why":{"type":"string"},` +
			`"rejected":{"type":"array","items":{"type":"object","required":["what","reason"],"properties":{"what":{"type":"string"},"reason":{"type":"string"}},"additionalProperties":false}},` +
			`"applies_to":{"type":"array","items":{"type":"string"},"description":"globs of paths"},"supersedes":{"type":"string"},"reason":{"type":"string"}},"additionalProperties":false}`,
		output: `{"type":"object","required":["decision","file"],"properties":{"decision":{"type":"object"},"file":{"type":"string"}}}`,
		run: calling("decision_propose", "decision.add", func(_ *Server, a args) any {
			return memory.DecisionAddRequest{Title: a.Title, Why: a.Why, Rejected: a.Rejected, AppliesTo: a.AppliesTo, Supersedes: a.Supersedes, Reason: a.Reason}
		}),
	}
}
