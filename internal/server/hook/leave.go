package hook

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"kedge"
	"kedge/internal/agents/hooks"
	"kedge/internal/app/attend"
	"kedge/internal/insight/condense"
	"kedge/internal/journal/spool"
	"kedge/internal/process"
	"kedge/internal/process/output"
	"kedge/internal/text/redact"
	"kedge/internal/text/words"
)

// data is what is written down of an event.
func (w World) data(ev hooks.Input) kedge.HookData {
	d := kedge.HookData{
		Agent: ev.Agent.Name, Event: ev.Kind, Session: kedge.SessionID(w.Getenv("KEDGE_SESSION")), Native: ev.Native, At: w.Now().UTC().Truncate(time.Millisecond),
		Source: ev.Source, Mode: ev.Mode, Tool: ev.Tool, Call: ev.Call, Failed: ev.Failed,
	}
	if ev.Tool != "" {
		d.Input = ev.Brief()
	}
	if ev.Kind == kedge.HookTool {
		d.Bytes, d.Sum = ev.Size(), ev.Sum()
	}
	return d
}

// leave puts an event where the daemon takes it, and tells it so.
func (w World) leave(ev hooks.Input, d kedge.HookData) error {
	return w.put(attend.Record{Version: 1, Dir: ev.Dir, Data: d})
}

// put leaves a record without secrets: it lies on the disk. Of the session's token
// it has the proof.
func (w World) put(r attend.Record) error {
	r.Proof = process.TokenProof(w.Getenv(process.TokenVariable))
	b, err := json.Marshal(r)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save the event of an agent's hook as JSON: %w", err)
	}
	owner := w.owner
	if r.Dir != w.inside {
		owner, _ = w.Project(r.Dir)
	}
	if _, err := spool.Put(w.Home, owner, w.Now(), redact.JSON(b)); err != nil {
		return err
	}
	w.Service.Poke()
	return nil
}

// Long is how many bytes a command may print before its output is condensed.
const Long = 8000

// mostCondensed bounds what is looked at line by line, so that it is done well
// within the budget. Of more the two ends are shown.
const mostCondensed = 2 << 20

// short is what became of a long output.
type short struct {
	answer []byte // to the agent; none: the output stays as it is
	bytes  int64  // of the whole
	output string // the id under which the whole is kept
	shown  int64  // bytes that the model is given
}

// condense keeps a long output and gives the model what matters of it. An output
// that would not become clearly shorter stays as it is.
func (w World) condense(ev hooks.Input, text, file string) (short, error) {
	whole := w.wholeOutput(ev, text, file)
	s := short{bytes: int64(len(whole))}
	shown, ok := shorten(ev.Line(), whole)
	most := len(text) * 3 / 4
	if len(text) <= Long { // a few lines of it
		most = Long
	}
	if !ok || len(shown) > most || len(whole) <= Long {
		return s, nil
	}
	id, err := w.keep(ev, whole)
	if err != nil {
		return s, err // what is not kept is not taken from the model
	}
	shown += "[all of it: kedge logs " + id + "]\n"
	_ = output.AddGain(w.Home, output.Gain{At: w.Now().UTC(), Command: condense.Name(ev.Line()), Tokens: words.Tokens(text), Shown: words.Tokens(shown)}) // what it saved is worth no trouble
	s.answer, s.output, s.shown = ev.Replace(shown), id, int64(len(shown))
	return s, nil
}

// shorten gives what is shown of an output, and whether anything was left out.
func shorten(line, whole string) (string, bool) {
	if len(whole) > mostCondensed {
		return ends(whole), true
	}
	c := condense.Condense(line, whole)
	return c.Text, len(c.Cut) > 0
}

// ends are the first and the last lines of what is too large to be looked at.
func ends(whole string) string {
	head, tail := whole[:Long/2], whole[len(whole)-Long/2:]
	if i := strings.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i+1]
	}
	if i := strings.IndexByte(tail[:len(tail)-1], '\n'); i >= 0 {
		tail = tail[i+1:]
	}
	left := len(whole) - len(head) - len(tail)
	head, tail = strings.ToValidUTF8(strings.TrimSuffix(head, "\n"), ""), strings.ToValidUTF8(strings.TrimRight(tail, "\n"), "")
	return fmt.Sprintf("%s\n[kedge: %d bytes are left out here]\n%s\n", head, left, tail)
}

// mostWhole bounds what is read of a file that an agent keeps.
const mostWhole = 64 << 20

// wholeOutput is what the agent's own file has, where it has more.
func (w World) wholeOutput(ev hooks.Input, text, file string) string {
	temp := cmp.Or(w.Getenv("TMPDIR"), "/tmp")
	if file == "" || !ev.Keeps(file, temp) {
		return text
	}
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0) // a pipe would not even open
	if err != nil {
		return text
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || !ours(info, twin(ev, file, temp)) || info.Size() > mostWhole || info.Size() <= int64(len(text)) {
		return text
	}
	b, err := io.ReadAll(io.LimitReader(f, mostWhole))
	if err != nil {
		return text
	}
	return string(b)
}

// twin is the other name that the agent may give a file of its own; empty: none.
func twin(ev hooks.Input, file, temp string) string {
	if ev.Agent.Twin == nil {
		return ""
	}
	return ev.Agent.Twin(file, temp, os.Geteuid())
}

// ours tells of a file of this user's that has no other name, but for its twin.
func ours(info os.FileInfo, twin string) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() || int(st.Uid) != os.Geteuid() {
		return false
	}
	other, err := os.Lstat(twin)
	return st.Nlink == 1 || st.Nlink == 2 && err == nil && os.SameFile(info, other)
}

// keep puts an output, without secrets, where `kedge logs` finds it.
func (w World) keep(ev hooks.Input, whole string) (string, error) {
	now := w.Now()
	kept, err := output.Keep(w.Home, now)
	if err != nil {
		return "", err
	}
	if _, err := kept.Output.WriteString(redact.Text(whole)); err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot save the output of a command that the agent ran: %w", errors.Join(err, kept.Output.Close()))
	}
	return kept.ID, kept.End(output.Record{
		Session: kedge.SessionID(w.Getenv("KEDGE_SESSION")), Dir: ev.Dir, Command: []string{"sh", "-c", redact.Text(ev.Line())}, StartedAt: now.UTC(), Bytes: int64(len(whole)),
	})
}

// maxLog is the size at which the log becomes log.1.
const maxLog = 1 << 20

// log writes down what went wrong; when that cannot be done either, nothing is
// left to do.
func (w World) log(failed error) {
	dir := filepath.Join(w.Home, "hooks")
	if w.Home == "" {
		return
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return
	}
	file := filepath.Join(dir, "log")
	if info, err := os.Stat(file); err == nil && info.Size() > maxLog {
		_ = os.Rename(file, file+".1") // else it grows a little more
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	_, _ = fmt.Fprintf(f, "%s %s\n", w.Now().UTC().Format(time.RFC3339), redact.Text(failed.Error()))
	_ = f.Close()
}
