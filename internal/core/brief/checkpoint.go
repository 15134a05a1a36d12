package brief

import (
	"bytes"
	"encoding/hex"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/text/words"
)

var checkpointKeys = []string{"id", "session", "agent", "plan", "commit", "tree", "tokens", "usd", "at", "task"}

// WriteCheckpoint gives the bytes of checkpoint.md. It refuses ids, hashes and
// paths that ParseCheckpoint would not take back; free text it escapes. It does
// not shorten anything: see Fit.
func WriteCheckpoint(c kedge.Checkpoint) ([]byte, error) {
	c = Normal(c)
	if err := checkCheckpoint(c); err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(marker("checkpoint", []attr{
		{"id", string(c.ID)},
		{"session", string(c.Session)},
		{"agent", c.Agent},
		{"plan", string(c.Plan)},
		{"commit", c.Commit},
		{"tree", c.Tree},
		{"tokens", writeInt(c.Tokens)},
		{"usd", writeFloat(c.USD)},
		{"at", c.At.Format(time.RFC3339Nano)},
		{"task", c.Task},
	}))
	writeSections(&b, CheckpointSections, [][]string{
		writeStatus(c.Status),
		writeDecisions(c.Decisions),
		writeTexts(c.Risks),
		writeRejected(c.RuledOut),
		writeFiles(c.Files),
		{escape(c.Resume)},
	})
	return seal(b.String(), c.HumanNotes), nil
}

// ParseCheckpoint reads checkpoint.md. It takes only what WriteCheckpoint writes:
// anything else is refused with its line.
func ParseCheckpoint(file string, b []byte) (kedge.Checkpoint, error) {
	return form[kedge.Checkpoint]{
		name: "checkpoint", sections: CheckpointSections, marker: readCheckpointMarker, read: readCheckpointSections, write: WriteCheckpoint,
		notes: func(c *kedge.Checkpoint, text string) { c.HumanNotes = text },
	}.parse(file, b)
}

// differs gives the number of the first line in which a document differs from a
// body, 0 when it starts with it.
func differs(doc []byte, body string) int {
	if bytes.HasPrefix(doc, []byte(body)) {
		return 0
	}
	n := 1
	for i := 0; i < len(body) && i < len(doc) && doc[i] == body[i]; i++ {
		if body[i] == '\n' {
			n++
		}
	}
	return n
}

// Normal is the form in which a checkpoint is kept: texts without blanks around
// them, nothing empty in a list, lists never nil, the time in UTC.
func Normal(c kedge.Checkpoint) kedge.Checkpoint {
	c.Agent, c.Task, c.Resume = clean(c.Agent), clean(c.Task), clean(c.Resume)
	c.HumanNotes = strings.ToValidUTF8(c.HumanNotes, "\uFFFD")
	c.At = c.At.UTC().Round(0)
	c.Risks, c.RuledOut = normalTexts(c.Risks), normalRejected(c.RuledOut)
	status := make([]kedge.StatusLine, 0, len(c.Status))
	for _, s := range c.Status {
		if s.Text = clean(s.Text); s.Text != "" {
			status = append(status, s)
		}
	}
	decisions := make([]kedge.DecisionRef, 0, len(c.Decisions))
	for _, d := range c.Decisions {
		d.Title = clean(d.Title)
		decisions = append(decisions, d)
	}
	files := make([]kedge.FileRef, 0, len(c.Files))
	for _, f := range c.Files {
		f.State, f.ChangedBy = "", clean(f.ChangedBy)
		files = append(files, f)
	}
	c.Status, c.Decisions, c.Files = status, decisions, files
	return c
}

func normalTexts(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		if s = clean(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func normalRejected(list []kedge.Rejected) []kedge.Rejected {
	out := make([]kedge.Rejected, 0, len(list))
	for _, r := range list {
		if r.What = clean(r.What); r.What != "" {
			out = append(out, kedge.Rejected{What: r.What, Reason: clean(r.Reason)})
		}
	}
	return out
}

func checkCheckpoint(c kedge.Checkpoint) error {
	switch {
	case !kedge.ValidID("ckp", string(c.ID)):
		return kedge.Errorf(kedge.Invalid, "%q is not the id of a checkpoint", c.ID)
	case c.Session != "" && !kedge.ValidID("ses", string(c.Session)):
		return kedge.Errorf(kedge.Invalid, "%q is not the id of a session", c.Session)
	case c.Plan != "" && !kedge.ValidID("pln", string(c.Plan)):
		return kedge.Errorf(kedge.Invalid, "%q is not the id of a plan", c.Plan)
	case !hexOrNone(c.Commit) || !hexOrNone(c.Tree):
		return kedge.Errorf(kedge.Invalid, "the checkpoint has the commit %q and the git tree %q, but both must be git hashes", c.Commit, c.Tree)
	case c.Tokens != nil && *c.Tokens < 0, c.USD != nil && (math.IsNaN(*c.USD) || math.IsInf(*c.USD, 0) || *c.USD < 0):
		return kedge.Errorf(kedge.Invalid, "the checkpoint's number of spent tokens or dollars is not valid")
	case c.Resume == "":
		return kedge.Errorf(kedge.Invalid, "the checkpoint does not tell the next session how to continue").WithHint("kedge checkpoint save --resume 'Start at item p1.1.'")
	}
	for _, d := range c.Decisions {
		if !kedge.ValidID("dec", string(d.ID)) {
			return kedge.Errorf(kedge.Invalid, "%q is not the id of a decision", d.ID)
		}
	}
	return checkFiles(c.Files)
}

func checkFiles(files []kedge.FileRef) error {
	for _, f := range files {
		switch {
		case !validPath(f.Path):
			return kedge.Errorf(kedge.Invalid, "%q is not a path inside the project", f.Path)
		case len(f.SHA256) != shortHash || !isHex(f.SHA256):
			return kedge.Errorf(kedge.Invalid, "the checkpoint's hash of the file %q is %q, but it must have eight hexadecimal digits", f.Path, f.SHA256)
		case f.ChangedBy != "" && !plain(f.ChangedBy):
			return kedge.Errorf(kedge.Invalid, "the checkpoint says that %q changed the file %q, but this name may have only letters, digits and . _ : + -", f.ChangedBy, f.Path)
		}
	}
	return nil
}

func hexOrNone(s string) bool { return s == "" || len(s) >= 7 && len(s) <= 64 && isHex(s) }

// isHex tells whether s is hex digits in lower case.
func isHex(s string) bool {
	_, err := hex.DecodeString(s + strings.Repeat("0", len(s)%2))
	return err == nil && strings.ToLower(s) == s
}

// validPath tells whether p is a slash path that stays inside the project.
func validPath(p string) bool {
	return p != "" && p == clean(p) && p == path.Clean(p) && !path.IsAbs(p) && p != "." && p != ".." && !strings.HasPrefix(p, "../")
}

func writeInt(n *int64) string {
	if n == nil {
		return unknown
	}
	return strconv.FormatInt(*n, 10)
}

func writeFloat(f *float64) string {
	if f == nil {
		return unknown
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}

func writeStatus(lines []kedge.StatusLine) []string {
	out := make([]string, 0, len(lines))
	for _, l := range lines {
		mark := "- [ ] "
		if l.Done {
			mark = "- [x] "
		}
		out = append(out, mark+escape(l.Text))
	}
	return out
}

func writeDecisions(list []kedge.DecisionRef) []string {
	out := make([]string, 0, len(list))
	for _, d := range list {
		out = append(out, strings.TrimRight("- "+string(d.ID)+" "+escape(d.Title), " "))
	}
	return out
}

func writeFiles(list []kedge.FileRef) []string {
	out := make([]string, 0, len(list))
	for _, f := range list {
		l := "- " + escape(f.Path) + " sha256:" + f.SHA256
		if f.ChangedBy != "" {
			l += " changed-by:" + f.ChangedBy
		}
		out = append(out, l)
	}
	return out
}

func readCheckpointMarker(file, text string) (kedge.Checkpoint, error) {
	v, err := parseMarker(text, "checkpoint", checkpointKeys)
	if err != nil {
		return kedge.Checkpoint{}, bad(file, 1, "%v", err)
	}
	c := kedge.Checkpoint{
		ID: kedge.CheckpointID(v["id"]), Session: kedge.SessionID(v["session"]), Agent: v["agent"],
		Plan: kedge.PlanID(v["plan"]), Commit: v["commit"], Tree: v["tree"], Task: v["task"],
	}
	if c.At, err = time.Parse(time.RFC3339Nano, v["at"]); err != nil {
		return c, bad(file, 1, "%q is not a time", words.ClipBytes(v["at"], 40))
	}
	if c.Tokens, err = readFigure(v["tokens"], func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }); err != nil {
		return c, bad(file, 1, "%q is not a number of tokens", words.ClipBytes(v["tokens"], 40))
	}
	if c.USD, err = readFigure(v["usd"], func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }); err != nil {
		return c, bad(file, 1, "%q is not an amount in USD", words.ClipBytes(v["usd"], 40))
	}
	return c, nil
}

// readFigure reads a figure that may be unknown.
func readFigure[T any](s string, parse func(string) (T, error)) (*T, error) {
	if s == unknown {
		return nil, nil //nolint:nilnil // nil is "unknown", which is no error
	}
	v, err := parse(s)
	return &v, err
}

func readCheckpointSections(file string, secs [][]row, c *kedge.Checkpoint) error {
	var err error
	if c.Status, err = readStatus(file, secs[0]); err != nil {
		return err
	}
	if c.Decisions, err = readDecisions(file, secs[1]); err != nil {
		return err
	}
	if c.Risks, err = texts(file, secs[2]); err != nil {
		return err
	}
	if c.RuledOut, err = readRejected(file, secs[3]); err != nil {
		return err
	}
	if c.Files, err = readFiles(file, secs[4]); err != nil {
		return err
	}
	c.Resume, err = single(file, CheckpointSections[5], secs[5])
	return err
}

func readStatus(file string, rows []row) ([]kedge.StatusLine, error) {
	out := make([]kedge.StatusLine, 0, len(rows))
	for _, r := range rows {
		done := strings.HasPrefix(r.text, "- [x] ")
		mark := "- [ ] "
		if done {
			mark = "- [x] "
		}
		text, err := r.item(file, mark)
		if err != nil {
			return nil, err
		}
		out = append(out, kedge.StatusLine{Done: done, Text: text})
	}
	return out, nil
}

func readDecisions(file string, rows []row) ([]kedge.DecisionRef, error) {
	out := make([]kedge.DecisionRef, 0, len(rows))
	for _, r := range rows {
		text, err := r.item(file, "- ")
		if err != nil {
			return nil, err
		}
		id, title, _ := strings.Cut(text, " ")
		if !kedge.ValidID("dec", id) {
			return nil, bad(file, r.n, "%q is not the id of a decision", words.ClipBytes(id, 40))
		}
		out = append(out, kedge.DecisionRef{ID: kedge.DecisionID(id), Title: title})
	}
	return out, nil
}

func readFiles(file string, rows []row) ([]kedge.FileRef, error) {
	out := make([]kedge.FileRef, 0, len(rows))
	for _, r := range rows {
		f, err := readFile(file, r)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// readFile reads from the right, because a path may hold anything.
func readFile(file string, r row) (kedge.FileRef, error) {
	words := strings.Split(r.text, " ")
	var f kedge.FileRef
	if by, ok := strings.CutPrefix(words[len(words)-1], "changed-by:"); ok {
		f.ChangedBy, words = by, words[:len(words)-1]
	}
	sum, ok := "", false
	if len(words) > 2 {
		sum, ok = strings.CutPrefix(words[len(words)-1], "sha256:")
	}
	if !ok || words[0] != "-" {
		return f, bad(file, r.n, "the line must have the form %q", "- path sha256:hash")
	}
	p, err := r.plain(file, strings.Join(words[1:len(words)-1], " "))
	if err != nil {
		return f, err
	}
	f.Path, f.SHA256 = p, sum
	if err := checkFiles([]kedge.FileRef{f}); err != nil {
		return f, bad(file, r.n, "%v", err)
	}
	return f, nil
}

// NamesItem tells whether a resume instruction says where to start: the id of a
// plan's item ("p2.1"), or "item X" or "feature X" with a name. "item none" is
// for a project in which nothing is left to do.
func NamesItem(resume string) bool {
	words := strings.FieldsFunc(resume, func(r rune) bool { return strings.ContainsRune(" \t\n,;()\"'`", r) })
	for i, w := range words {
		w = strings.TrimRight(w, ".:!?")
		if itemID(w) {
			return true
		}
		if i > 0 && slices.Contains([]string{"item", "feature"}, strings.ToLower(words[i-1])) && kedge.ValidName(w) {
			return true
		}
	}
	return false
}

// itemID tells whether s is like p2.1.
func itemID(s string) bool {
	phase, item, ok := strings.Cut(s, ".")
	num, isPhase := strings.CutPrefix(phase, "p")
	return ok && isPhase && digits(num) && digits(item)
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// Summary says in one line where a checkpoint stands.
func Summary(c kedge.Checkpoint) string {
	done := 0
	for _, s := range c.Status {
		if s.Done {
			done++
		}
	}
	return strconv.Itoa(done) + " of " + words.Count(len(c.Status), "item") + " done, " + words.Count(len(c.Risks), "open risk") + ". " + line(c.Resume)
}
