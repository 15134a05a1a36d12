package claude

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"kedge/internal/insight/transcript"
)

func findKept(_ context.Context, w transcript.Where) []transcript.File {
	roots := strings.Split(w.Getenv("CLAUDE_CONFIG_DIR"), ",")
	if roots[0] == "" {
		roots = []string{w.Home("", ".claude"), w.Home("XDG_CONFIG_HOME", ".config") + "/claude"}
	}
	var patterns []string
	for _, root := range roots {
		for _, folder := range append(folders(w), nearFolders(root, w)...) {
			if filepath.IsAbs(root) {
				kept := filepath.Join(transcript.Quoted(root), "projects", folder)
				patterns = append(patterns, filepath.Join(kept, "*.jsonl"), filepath.Join(kept, "*", "subagents", sidePrefix+"*.jsonl"))
			}
		}
	}
	list := transcript.Files(name, patterns...)
	if w.All { // they are many: whoever needs to know looks into them
		return list
	}
	for i := range list {
		list[i].Side = isSide(list[i].Path)
	}
	return list
}

// folders are the names of the folders in which the transcripts lie.
func folders(w transcript.Where) []string {
	if w.All {
		return []string{"*"}
	}
	var list []string
	for _, dir := range w.Dirs {
		list = append(list, transcript.Slug(dir))
	}
	return list
}

// sidePrefix begins the names of the transcripts of Claude Code's sub-agents.
const sidePrefix = "agent-"

// isSide tells whether a transcript of Claude Code is a sub-agent's: its name
// says so, and the first line that tells.
func isSide(path string) bool {
	if !strings.HasPrefix(filepath.Base(path), sidePrefix) {
		return false
	}
	r, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = r.Close() }() // it was only read
	l, err := transcript.FirstLines(r)
	for err == nil && l.N < transcript.Sniffed {
		var b []byte
		var line keptLine
		if b, err = l.Next(); err == nil && line.parse(bytes.TrimSpace(b)) && len(line.agent) > 0 {
			return line.side
		}
	}
	return false
}
