package mcp

import (
	"kedge"
	"kedge/internal/app/memory"
)

// noteAdd is `kedge remember`.
func noteAdd() tool {
	type args struct {
		Text     string          `json:"text"`
		Title    string          `json:"title"`
		Feature  kedge.FeatureID `json:"feature"`
		Files    []string        `json:"files"`
		Tags     []string        `json:"tags"`
		DeadEnds string          `json:"dead_ends"`
	}
	return tool{
		name: "note_add", scope: acting,
		about: "Keep what was learnt, for later sessions: a cause, a trap, a dead end. Name a file or a command in it.",
		input: `{"type":"object","required":["text"],"properties":{"text":{"type":"string"},"title":{"type":"string"},"feature":{"type":"string"},` +
			`"files":{"type":"array","items":{"type":"string"}},"tags":{"type":"array","items":{"type":"string"}},"dead_ends":{"type":"string","description":"what did not work, and why"}},"additionalProperties":false}`,
		output: `{"type":"object","required":["note","file"],"properties":{"note":{"type":"object"},"file":{"type":"string"}}}`,
		run: calling("note_add", "note.add", func(_ *Server, a args) any {
			return memory.NoteAddRequest{Text: a.Text, Title: a.Title, Feature: a.Feature, Files: a.Files, Tags: a.Tags, DeadEnds: a.DeadEnds}
		}),
	}
}
