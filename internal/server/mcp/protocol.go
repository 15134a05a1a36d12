package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"kedge"
)

const methodCall = "tools/call"

// versions of the protocol that this server speaks, the newest first. What it uses
// of them is the same in all.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// instructions are what the client tells its model of the server.
const instructions = "Kedge keeps the plan, the checks and the memory of this project. " +
	"Work on the feature of feature_next, run gate_run before you say that you are done, and keep what the next session must know with checkpoint_save, note_add and decision_propose."

type initialized struct {
	Protocol     string         `json:"protocolVersion"`
	Capabilities map[string]any `json:"capabilities"`
	Server       serverInfo     `json:"serverInfo"`
	Instructions string         `json:"instructions"`
}

type serverInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// published is a tool as tools/list shows it.
type published struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema"`
	Annotations annotations     `json:"annotations"`
}

type annotations struct {
	ReadOnly bool `json:"readOnlyHint"`
}

// answered is the result of a call.
type answered struct {
	Content    []content       `json:"content"`
	Structured json.RawMessage `json:"structuredContent,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type progressed struct {
	Token    json.RawMessage `json:"progressToken"`
	Progress int             `json:"progress"`
}

// answer answers what needs no time.
func (s *Server) answer(r request) response {
	switch r.Method {
	case "initialize":
		return result(r.ID, s.initialize(r.Params))
	case "ping":
		return result(r.ID, struct{}{})
	case "tools/list":
		return result(r.ID, map[string]any{"tools": publish(s.offered())})
	default:
		return failure(r.ID, codeMethod, "no method "+quoted(r.Method))
	}
}

// initialize agrees on a version: the client's, where it is spoken here.
func (s *Server) initialize(params json.RawMessage) initialized {
	var in struct {
		Protocol string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(params, &in) // without one it is told the newest
	version := versions[0]
	if slices.Contains(versions, in.Protocol) {
		version = in.Protocol
	}
	return initialized{
		Protocol: version, Capabilities: map[string]any{"tools": struct{}{}},
		Server: serverInfo{Name: "kedge", Version: s.Version}, Instructions: instructions,
	}
}

// offered are the tools that a client is told of: an operator's only where there is one.
func (s *Server) offered() []tool {
	if s.Operate == nil {
		return tools()
	}
	return append(tools(), operatorTools()...)
}

// publish gives the tools as a client is told of them.
func publish(list []tool) []published {
	var out []published
	for _, t := range list {
		out = append(out, published{
			Name: t.name, Description: t.about, Input: json.RawMessage(t.input), Output: json.RawMessage(t.output),
			Annotations: annotations{ReadOnly: t.scope != acting && t.scope != operatingScope},
		})
	}
	return out
}

// callTool carries one call out. What the tool says against it is a result too:
// the model can read that and do better.
func (s *Server) callTool(ctx context.Context, r request, progress func(token json.RawMessage, n int)) response {
	var in struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"arguments"`
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal(r.Params, &in); err != nil {
		return failure(r.ID, codeParams, "the parameters of a call must be an object with a name")
	}
	all := append(tools(), operatorTools()...)
	i := slices.IndexFunc(all, func(t tool) bool { return t.name == in.Name })
	if i < 0 {
		return failure(r.ID, codeParams, "no tool "+quoted(in.Name))
	}
	n := 0
	out, err := s.use(ctx, all[i], in.Args, func(json.RawMessage) {
		if canonical(in.Meta.Token) != "" {
			n++
			progress(in.Meta.Token, n)
		}
	})
	if err != nil {
		return result(r.ID, refused(err))
	}
	return result(r.ID, answered{Content: []content{{Type: "text", Text: string(out)}}, Structured: out})
}

// use lets the tool do its work, if this server may.
func (s *Server) use(ctx context.Context, t tool, args json.RawMessage, progress func(json.RawMessage)) (json.RawMessage, error) {
	if s.Session == "" && (t.scope == own || t.scope == acting) {
		return nil, kedge.Errorf(kedge.Blocked, "%s works only inside a session of Kedge", t.name).
			WithHint("start the agent in a session: kedge new NAME -- COMMAND; the agent must pass KEDGE_SESSION and KEDGE_TOKEN on to this server")
	}
	return t.run(ctx, s, args, progress)
}

// refused tells an error to the model, with what to do about it.
func refused(err error) answered {
	text := err.Error()
	if hint := kedge.HintOf(err); hint != "" {
		text += "\nnext: " + hint
	}
	return answered{Content: []content{{Type: "text", Text: text}}, IsError: true}
}

// quoted is a name of the client's in a message, bounded.
func quoted(name string) string {
	const most = 100
	return strconv.Quote(name[:min(len(name), most)])
}
