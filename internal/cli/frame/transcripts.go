package frame

import (
	"fmt"
	"strings"

	"kedge/internal/agents/catalog"
)

// Named gives the variables of an environment that are asked for.
func Named(environ, names []string) map[string]string {
	out := map[string]string{}
	for _, name := range names {
		for _, kv := range environ {
			if value, ok := strings.CutPrefix(kv, name+"="); ok {
				out[name] = value
			}
		}
	}
	return out
}

// TranscriptPlaces is a line for each agent whose transcripts can be read; with a name,
// for that one.
func TranscriptPlaces(agent string) string {
	var b strings.Builder
	for _, p := range catalog.All() {
		if p.Transcript != nil && (agent == "" || agent == p.Name) {
			fmt.Fprintf(&b, "  %-13s %s\n", p.Title, p.Transcript.Place)
		}
	}
	return b.String()
}

// ReadingBar is how much of transcripts was read, in cells of a twentieth.
func ReadingBar(files, of int, read, total int64) string {
	const cells = 20
	done := cells
	if total > 0 {
		done = int(read * cells / total)
	}
	return fmt.Sprintf("reading transcripts [%s%s] %d of %d", strings.Repeat("=", done), strings.Repeat(" ", cells-done), files, of)
}
