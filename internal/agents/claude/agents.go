package claude

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge/internal/insight/transcript"
)

// begun are the sub-agents that a session began. Their replies are in its own lines, or in
// transcripts of their own, or nowhere: then the session used more than anybody can tell.
type begun struct {
	asked map[string]bool // calls of the tool that begins one, without a result
	heard map[string]bool // sub-agents, and calls, of which a reply was told
	told  []string        // sub-agents that ended, or went on by themselves; empty: without a name
	side  bool            // a reply was told in a line of this transcript's own that is a sub-agent's
}

// startsAgents are the tools that begin a sub-agent.
var startsAgents = map[string]bool{"Task": true, "Agent": true}

// calls notes that a tool is called.
func (s *begun) calls(tool, call string) {
	if !startsAgents[tool] || call == "" {
		return
	}
	if s.asked == nil {
		s.asked = map[string]bool{}
	}
	s.asked[call] = true
}

// wait tells whether a call has no result yet, with which the next lines may come.
func (s *begun) wait() bool { return len(s.asked) > 0 }

// hears notes that replies of a sub-agent are told here.
func (s *begun) hears(names ...[]byte) {
	if s.heard == nil {
		s.heard = map[string]bool{}
	}
	for _, name := range names {
		if len(name) > 0 {
			s.heard[transcript.Text(name)] = true
		}
	}
}

// ends takes the result of a call: what the program keeps of it, and what the model was given.
// A call that somebody refused began no sub-agent.
func (s *begun) ends(call string, kept, given []byte) {
	if !s.asked[call] {
		return
	}
	delete(s.asked, call)
	id := ""
	if len(kept) > 0 && kept[0] == '{' {
		transcript.Fields(kept, func(key string, v []byte) {
			if key == "agentId" {
				id = transcript.Text(transcript.Inside(v))
			}
		})
	} else if bytes.Contains(given, []byte("tool_use_error")) || bytes.Contains(given, []byte("rejected")) {
		return
	}
	if !s.heard[call] && !s.heard[id] {
		s.told = append(s.told, id)
	}
}

// untold are the sub-agents of which no reply was told: by their names, or an empty one for
// each whose name is not known.
func (s *begun) untold() (list []string) {
	if s.side {
		return nil // of versions that write all of them down here
	}
	for _, id := range s.told {
		switch {
		case id == "":
			list = append(list, "")
		case !s.heard[id]:
			list = append(list, sidePrefix+id)
		}
	}
	for call := range s.asked {
		if !s.heard[call] {
			list = append(list, "")
		}
	}
	return list
}

// besides gives the names of the transcripts that the sub-agents of a session have left. For
// those of older versions, which lie beside it, all that are there may be its own.
func besides(path string) (own, others []string) {
	names := func(dir string) (list []string) {
		entries, _ := os.ReadDir(dir) // there are none
		for _, e := range entries {
			if name, ok := strings.CutSuffix(e.Name(), ".jsonl"); ok && strings.HasPrefix(name, sidePrefix) {
				list = append(list, name)
			}
		}
		return list
	}
	return names(filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents")), names(filepath.Dir(path))
}

// lacks tells whether one of the sub-agents that a session began left no transcript.
func lacks(path string, untold []string) bool {
	own, others := besides(path)
	named, unnamed := 0, 0
	for _, id := range untold {
		switch {
		case id == "":
			unnamed++
		case slices.Contains(own, id):
			named++
		case !slices.Contains(others, id):
			return true
		}
	}
	return unnamed > len(own)-named
}
