package mcp

import (
	"kedge/internal/app/memory"
)

// recall is `kedge recall`.
func recall() tool {
	type args struct {
		Query string `json:"query"`
		Limit int    `json:"limit"`
	}
	const usual = 10
	return tool{
		name: "recall", scope: reading,
		about:  "Search notes, decisions, risks, features and checkpoints of this project.",
		input:  `{"type":"object","required":["query"],"properties":{"query":{"type":"string"},"limit":{"type":"integer","minimum":1,"description":"default: 10"}},"additionalProperties":false}`,
		output: `{"type":"object","required":["hits"],"properties":{"hits":{"type":"array","items":{"type":"object","required":["kind","id","title","snippet"]}}}}`,
		run: calling("recall", "recall", func(_ *Server, a args) any {
			if a.Limit == 0 {
				a.Limit = usual
			}
			return memory.RecallRequest{Query: a.Query, Limit: a.Limit}
		}),
	}
}
