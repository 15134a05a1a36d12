package mcp

import (
	"context"
	"encoding/json"

	"kedge"
	"kedge/internal/app/runs"
)

// runOutput is the schema of what an operator's tools give: the run after the call.
const runOutput = `{"type":"object","required":["run"],"properties":{"run":{"type":"object","required":["id","state"],"properties":{"id":{"type":"string"},"state":{"type":"string"},"reason":{"type":"string"}}}}}`

// operatorTools are for a client that you gave an operator's token.
func operatorTools() []tool {
	type none struct{}
	type told struct {
		Name string `json:"name"`
		Text string `json:"text"`
	}
	return []tool{
		{
			name: "run_show", scope: watching, about: "Show the newest run: its state, what is working now, and why it is halted.", input: noArguments, output: runOutput,
			run: operating("run_show", "run.show", func(*Server, none) any { return runs.RunRequest{} }),
		},
		{
			name: "run_pause", scope: operatingScope, about: "Pause the run. Its sessions stand still at once, before their next tool call; nothing new starts.", input: noArguments, output: runOutput,
			run: operating("run_pause", "run.pause", func(*Server, none) any { return runs.RunRequest{} }),
		},
		{
			name: "run_continue", scope: operatingScope, about: "Continue the run after a pause, a stop or a halt.", input: noArguments, output: runOutput,
			run: operating("run_continue", "run.continue", func(s *Server, _ none) any { return runs.RunContinueRequest{Env: s.Environ} }),
		},
		{
			name: "run_stop", scope: operatingScope, about: "Stop the run. Its sessions end, each with a checkpoint; run_continue resumes the work.", input: noArguments, output: runOutput,
			run: operating("run_stop", "run.stop", func(*Server, none) any { return runs.RunRequest{} }),
		},
		{
			name: "run_tell", scope: operatingScope, about: "Send a message to the session that works on a feature. An agent that accepts messages reads it before its next turn; otherwise the next brief contains it.",
			input:  `{"type":"object","required":["name","text"],"properties":{"name":{"type":"string","description":"a feature, or a session of the run"},"text":{"type":"string"}},"additionalProperties":false}`,
			output: runOutput,
			run:    operating("run_tell", "run.tell", func(_ *Server, a told) any { return runs.RunTellRequest{Name: a.Name, Text: a.Text} }),
		},
	}
}

// operating is calling with the token of an operator.
func operating[A any](name, call string, ask func(s *Server, a A) any) func(context.Context, *Server, json.RawMessage, func(json.RawMessage)) (json.RawMessage, error) {
	use := calling(name, call, ask)
	return func(ctx context.Context, s *Server, args json.RawMessage, progress func(json.RawMessage)) (json.RawMessage, error) {
		if s.Operate == nil {
			return nil, kedge.Errorf(kedge.Blocked, "%s needs an operator token, and this MCP server has none", name).
				WithHint("make a token in your own terminal: kedge operator add NAME; then set the environment variable KEDGE_OPERATOR of this MCP server to that token")
		}
		own := *s
		own.Call = s.Operate
		return use(ctx, &own, args, progress)
	}
}
