package mcp

import (
	"kedge/internal/app/verify"
)

// gateRun is `kedge gate --output`.
func gateRun() tool {
	type args struct {
		Names []string `json:"names"`
		All   bool     `json:"all"`
	}
	return tool{
		name: "gate_run", scope: acting,
		about: "Run the project's checks on the files as they are. VALIDATION_OK is green; otherwise fix the first failure. Takes as long as the checks.",
		input: `{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"},"description":"only these checks"},` +
			`"all":{"type":"boolean","description":"also the checks that cover nothing that changed"}},"additionalProperties":false}`,
		output: `{"type":"object","required":["verdict","partial","tree","checks","findings","evidence"],"properties":{"verdict":{"type":"string"},"partial":{"type":"boolean"},` +
			`"flaky":{"type":"boolean"},"tree":{"type":"string"},"checks":{"type":"array","items":{"type":"object","required":["name","exit","first_failure"]}},` +
			`"findings":{"type":["array","null"]},"evidence":{"type":"string"},"output":{"type":"array"}}}`,
		run: calling("gate_run", "gate", func(s *Server, a args) any {
			return verify.GateRequest{Names: a.Names, All: a.All, Output: true, Env: s.Environ}
		}),
	}
}
