package usage

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"kedge"
	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/process/atomicfile"
)

// wroteHTML is `audit --html FILE --json`.
type wroteHTML struct {
	File  string `json:"file"`
	Bytes int    `json:"bytes"`
}

// writeHTML writes the page of an answer, whole or not at all.
func writeHTML(env *frame.Env, place string, out reports.AuditReply) error {
	b := auditPage(out, pageName(out, env.Dir), time.Now())
	if place == "-" {
		w := env.RawOut
		if w == nil {
			w = env.Out
		}
		_, err := w.Write(b)
		return err
	}
	path := frame.Abs(env.Dir, place)
	if err := atomicfile.Write(path, b, 0o600); err != nil {
		return kedge.Errorf(kedge.Invalid, "cannot write %q: %w", place, err)
	}
	return env.Show(wroteHTML{File: path, Bytes: len(b)}, func(w io.Writer) {
		fmt.Fprintf(w, "wrote %s, %s: open it in a browser\n", place, frame.Bytes(int64(len(b))))
	})
}

// pageName is what the sessions of a page are of: the folder in which all of them worked, the
// folder that was asked about, or how many there are.
func pageName(out reports.AuditReply, dir string) string {
	folders := map[string]bool{}
	for _, f := range out.Sessions {
		folders[f.Dir] = true
	}
	switch {
	case len(folders) == 1 && !folders[""] && !strings.HasPrefix(out.Sessions[0].Dir+"/", dir+"/"):
		return filepath.Base(out.Sessions[0].Dir)
	case out.Everywhere:
		return frame.Counted(len(folders), "folder")
	default:
		return filepath.Base(dir)
	}
}
