package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/strict"
)

// planStatuses lists the statuses that front matter may name.
var planStatuses = []kedge.PlanStatus{
	kedge.PlanDrafting, kedge.PlanWaiting, kedge.PlanReady,
	kedge.PlanApproved, kedge.PlanDone, kedge.PlanAbandoned,
}

// planKeys are the keys of plan.md's front matter.
var planKeys = []string{"version", "id", "title", "status", "base"}

// planFields are the fixed fields, in their order.
var planFields = []string{"Root cause", filesField, "Assumptions", "Invariants", "Risks", "Validation"}

// Doc is a plan.md: the plan that was read from it, and its text, of which every
// change touches only the bytes that it is about.
type Doc struct {
	Plan kedge.Plan

	file     string
	source   []byte
	front    strict.Doc
	lines    []string // of the body, line ends included
	comments []bool   // of lines: part of a comment
	boxes    []box
	problems []kedge.Finding // what reading the text found wrong with its form
	asked    bool            // the heading Questions is there
	unproven map[string]bool // items that say "check: none"
	limited  map[string]int  // the line of an item that names its paths
}

// box is where an item's [ ] stands.
type box struct {
	item string
	line int // index into lines
}

// ParsePlan reads a plan. It refuses what is not a plan at all (front matter,
// version, status); what a draft lacks is for Check to say, all at once.
func ParsePlan(file string, b []byte) (*Doc, error) {
	front, err := strict.ParseDoc(file, b, planKeys...)
	if err != nil {
		return nil, kedge.Errorf(kedge.Invalid, "%w", err).WithHint("%s", formHint)
	}
	d := &Doc{file: file, source: bytes.Clone(b), front: front, unproven: map[string]bool{}, limited: map[string]int{}}
	if err := d.readFront(); err != nil {
		return nil, err
	}
	d.lines = strings.SplitAfter(front.Body, "\n")
	d.findComments()
	d.readBody()
	return d, nil
}

// Source is the text that was read, unchanged.
func (d *Doc) Source() []byte { return d.source }

// formHint is what to do about a file that is not a plan at all.
const formHint = "write a draft to start from: kedge plan new TITLE; the format is in docs/reference/plan-format.md of Kedge"

// readFront takes over the front matter, or says all that is wrong with it.
func (d *Doc) readFront() error {
	version, _ := d.front.Get("version")
	status, _ := d.front.Get("status")
	id, _ := d.front.Get("id")
	title, _ := d.front.Get("title")
	base, _ := d.front.Get("base")
	var wrong []string
	refuse := func(line int, format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("%s:%d: %s", d.file, max(line, 1), fmt.Sprintf(format, args...)))
	}
	if version.Text != "1" {
		refuse(version.Line, "version is %q, this Kedge reads version %d", version.Text, FileVersion)
	}
	if !slices.Contains(planStatuses, kedge.PlanStatus(status.Text)) {
		refuse(status.Line, "%q is not a status of a plan; a draft has \"status: %s\"", status.Text, kedge.PlanDrafting)
	}
	if id.Text != "" && !kedge.ValidID("pln", id.Text) {
		refuse(id.Line, "%q is not an id of a plan; a draft has none", id.Text)
	}
	if len(wrong) > 0 {
		return kedge.Errorf(kedge.Invalid, "%s", strings.Join(wrong, "; ")).WithHint("%s", formHint)
	}
	d.Plan = kedge.Plan{
		Version: FileVersion, ID: kedge.PlanID(id.Text), Title: title.Text,
		Status: kedge.PlanStatus(status.Text), Base: base.Text,
		Questions: []kedge.Question{}, Fields: []kedge.PlanField{}, Phases: []kedge.Phase{},
		Assumptions: []kedge.Statement{}, Invariants: []kedge.Statement{}, Risks: []kedge.Statement{}, Validation: []string{},
	}
	return nil
}

// Bytes writes the plan back: the bytes that were read, but for what was
// changed since.
func (d *Doc) Bytes() []byte {
	d.front.Body = strings.Join(d.lines, "")
	return d.front.Bytes()
}

// Freeze makes the approved plan of a draft: id, base and status in the front
// matter, every box empty. The hash is over the bytes it gives.
func (d *Doc) Freeze(id kedge.PlanID, base string) (text []byte, hash string) {
	d.setFront("id", string(id))
	d.setFront("status", string(kedge.PlanApproved))
	d.setFront("base", base)
	d.Plan.ID, d.Plan.Status, d.Plan.Base = id, kedge.PlanApproved, base
	d.setBoxes(func(string) bool { return false })
	text = d.Bytes()
	sum := sha256.Sum256(text)
	return text, hex.EncodeToString(sum[:])
}

func (d *Doc) setFront(key, value string) { d.front.Set(strict.Text(key, value)) }

// Progress shows how far a frozen plan has come: its status, and a tick in the
// boxes of the items that are done. No other byte changes.
func (d *Doc) Progress(status kedge.PlanStatus, done func(item string) bool) []byte {
	d.setBoxes(done)
	d.Plan.Status = status
	d.setFront("status", string(status))
	return d.Bytes()
}

func (d *Doc) setBoxes(done func(item string) bool) {
	for _, b := range d.boxes {
		d.lines[b.line] = markBox(d.lines[b.line], done(b.item))
	}
	for i := range d.Plan.Phases {
		for j := range d.Plan.Phases[i].Items {
			it := &d.Plan.Phases[i].Items[j]
			it.Done = done(it.ID)
		}
	}
}

// markBox sets the mark of an item's line. A mark that already says so stays,
// be it x or X.
func markBox(line string, done bool) string {
	at := strings.IndexByte(line, '[') + 1
	switch was := line[at] != ' '; {
	case was == done:
		return line
	case done:
		return line[:at] + "x" + line[at+1:]
	default:
		return line[:at] + " " + line[at+1:]
	}
}

// Checklist is the plan in short: a line per phase and one per item.
func Checklist(p kedge.Plan) []string {
	var out []string
	for i, ph := range p.Phases {
		out = append(out, fmt.Sprintf("Phase %d: %s", i+1, ph.Title))
		for _, it := range ph.Items {
			mark := " "
			if it.Done {
				mark = "x"
			}
			out = append(out, fmt.Sprintf("  [%s] %s %s", mark, it.ID, it.Text))
		}
	}
	return out
}
