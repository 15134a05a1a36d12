package mcp

import (
	"kedge/internal/app/runs"
)

// questionAsk is the way to ask people that no command has: only a session does.
func questionAsk() tool {
	type args struct {
		Question string `json:"question"`
	}
	return tool{
		name: "question_ask", scope: acting,
		about:  "Ask the user who runs this work. Then end your turn: the work on the feature waits, and the answer is in the next brief.",
		input:  `{"type":"object","required":["question"],"properties":{"question":{"type":"string"}},"additionalProperties":false}`,
		output: `{"type":"object","required":["feature","question","then"],"properties":{"feature":{"type":"string"},"question":{"type":"string"},"then":{"type":"string"}}}`,
		run: calling("question_ask", "question.ask", func(_ *Server, a args) any {
			return runs.QuestionAskRequest{Question: a.Question}
		}),
	}
}
