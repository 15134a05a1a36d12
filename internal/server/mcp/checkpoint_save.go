package mcp

import (
	"kedge/internal/app/status"
)

// checkpointSave is `kedge checkpoint save`.
func checkpointSave() tool {
	type args struct {
		Task   string   `json:"task"`
		Resume string   `json:"resume"`
		Files  []string `json:"files"`
	}
	return tool{
		name: "checkpoint_save", scope: acting,
		about: "Save where the work stands, so that a fresh session can continue. Kedge fills in what you leave out.",
		input: `{"type":"object","properties":{"task":{"type":"string","description":"what is being done"},` +
			`"resume":{"type":"string","description":"one sentence that says how to continue and names the item"},` +
			`"files":{"type":"array","items":{"type":"string"},"description":"to read again first"}},"additionalProperties":false}`,
		output: `{"type":"object","required":["id","task","resume","files","path","text"],"properties":{` +
			`"id":{"type":"string"},"task":{"type":"string"},"resume":{"type":"string"},"files":{"type":["array","null"]},"path":{"type":"string"},"text":{"type":"string"}}}`,
		run: calling("checkpoint_save", "checkpoint.save", func(_ *Server, a args) any {
			return status.CheckpointSaveRequest{Task: a.Task, Resume: a.Resume, Files: a.Files}
		}),
	}
}
