package brief

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/text/words"
)

var handoffKeys = []string{"id", "session", "at"}

const (
	riskPrefix = "open risk: " // an open risk stands among the constraints
	nothing    = "nothing"     // the next session waits for nobody
)

// WriteHandoff gives the bytes of a handoff. Like WriteCheckpoint it refuses what
// can not be read back, escapes text and shortens nothing.
func WriteHandoff(h kedge.Handoff) ([]byte, error) {
	h = NormalHandoff(h)
	if err := checkHandoff(h); err != nil {
		return nil, err
	}
	blocked := h.BlockedOn
	if blocked == "" {
		blocked = nothing
	}
	constraints := slices.Clone(h.Constraints)
	for _, r := range h.Risks {
		constraints = append(constraints, riskPrefix+r)
	}
	var b strings.Builder
	b.WriteString(marker("handoff", []attr{
		{"id", string(h.ID)},
		{"session", string(h.Session)},
		{"at", h.At.Format(time.RFC3339Nano)},
	}))
	writeSections(&b, HandoffSections, [][]string{
		{strconv.Itoa(h.Percent) + "%: " + escape(h.State)},
		writeTexts(h.Files),
		{escape(h.Approach)},
		writeTexts(constraints),
		writeRejected(h.RuledOut),
		{escape(h.Next)},
		{escape(blocked)},
	})
	return seal(b.String(), h.HumanNotes), nil
}

// ParseHandoff reads a handoff. It takes only what WriteHandoff writes: anything
// else is refused with its line.
func ParseHandoff(file string, b []byte) (kedge.Handoff, error) {
	return form[kedge.Handoff]{
		name: "handoff", sections: HandoffSections, marker: readHandoffMarker, read: readHandoffSections, write: WriteHandoff,
		notes: func(h *kedge.Handoff, text string) { h.HumanNotes = text },
	}.parse(file, b)
}

// NormalHandoff is the form in which a handoff is kept: see Normal.
func NormalHandoff(h kedge.Handoff) kedge.Handoff {
	h.State, h.Approach, h.Next, h.BlockedOn = clean(h.State), clean(h.Approach), clean(h.Next), clean(h.BlockedOn)
	if h.BlockedOn == nothing {
		h.BlockedOn = ""
	}
	h.HumanNotes = strings.ToValidUTF8(h.HumanNotes, "\uFFFD")
	h.At = h.At.UTC().Round(0)
	h.Files, h.Risks, h.RuledOut = normalTexts(h.Files), normalTexts(h.Risks), normalRejected(h.RuledOut)
	constraints := make([]string, 0, len(h.Constraints))
	for _, c := range normalTexts(h.Constraints) {
		// A constraint that reads like a risk is one: the file can not tell them apart.
		if r, ok := strings.CutPrefix(c, strings.TrimSpace(riskPrefix)); ok && clean(r) != "" {
			h.Risks = append(h.Risks, clean(r))
			continue
		}
		constraints = append(constraints, c)
	}
	h.Constraints = constraints
	return h
}

// SaveCommand is the command that saves a document of a kind, with the flags that it
// needs.
func SaveCommand(kind string) string {
	if kind == "handoff" {
		return "kedge handoff save --percent N --state TEXT --approach TEXT"
	}
	return "kedge checkpoint save"
}

func checkHandoff(h kedge.Handoff) error {
	switch {
	case !kedge.ValidID("ckp", string(h.ID)):
		return kedge.Errorf(kedge.Invalid, "%q is not the id of a handoff", h.ID)
	case h.Session != "" && !kedge.ValidID("ses", string(h.Session)):
		return kedge.Errorf(kedge.Invalid, "%q is not the id of a session", h.Session)
	case h.Percent < 0 || h.Percent > 100:
		return kedge.Errorf(kedge.Invalid, "the handoff says that %d percent are done, but the number must be from 0 to 100", h.Percent).WithHint("%s", SaveCommand("handoff"))
	}
	for _, f := range []struct{ name, flag, text string }{
		{HandoffSections[0], "state", h.State}, {HandoffSections[2], "approach", h.Approach}, {HandoffSections[5], "next", h.Next},
	} {
		if f.text == "" {
			return kedge.Errorf(kedge.Invalid, "the handoff's %q is empty", f.name).WithHint("add --%s TEXT to your command; for example: %s", f.flag, SaveCommand("handoff"))
		}
	}
	for _, p := range h.Files {
		if !validPath(p) {
			return kedge.Errorf(kedge.Invalid, "%q is not a path inside the project", p)
		}
	}
	return nil
}

func readHandoffMarker(file, text string) (kedge.Handoff, error) {
	v, err := parseMarker(text, "handoff", handoffKeys)
	if err != nil {
		return kedge.Handoff{}, bad(file, 1, "%v", err)
	}
	h := kedge.Handoff{ID: kedge.CheckpointID(v["id"]), Session: kedge.SessionID(v["session"])}
	if h.At, err = time.Parse(time.RFC3339Nano, v["at"]); err != nil {
		return h, bad(file, 1, "%q is not a time", words.ClipBytes(v["at"], 40))
	}
	return h, nil
}

func readHandoffSections(file string, secs [][]row, h *kedge.Handoff) error {
	if err := readState(file, secs[0], h); err != nil {
		return err
	}
	var err error
	if h.Files, err = texts(file, secs[1]); err != nil {
		return err
	}
	if h.Constraints, err = texts(file, secs[3]); err != nil {
		return err
	}
	if h.RuledOut, err = readRejected(file, secs[4]); err != nil {
		return err
	}
	for _, f := range []struct {
		section int
		into    *string
	}{{2, &h.Approach}, {5, &h.Next}, {6, &h.BlockedOn}} {
		if *f.into, err = single(file, HandoffSections[f.section], secs[f.section]); err != nil {
			return err
		}
	}
	*h = NormalHandoff(*h)
	return nil
}

// readState reads "60%: what is done".
func readState(file string, rows []row, h *kedge.Handoff) error {
	if len(rows) != 1 {
		_, err := single(file, HandoffSections[0], rows)
		return err
	}
	percent, text, ok := strings.Cut(rows[0].text, "%: ")
	n, err := strconv.Atoi(percent)
	if !ok || err != nil {
		return bad(file, rows[0].n, "the line must have the form %q", "60%: what is done")
	}
	h.Percent = n
	h.State, err = rows[0].plain(file, text)
	return err
}

// FitHandoff makes room for the open risks: the person's own words stay as they
// are, risks are clipped, and where they still do not all fit the last line says
// how many more there are. It tells whether the result is under the cap.
func FitHandoff(h kedge.Handoff) (kedge.Handoff, bool) {
	h = NormalHandoff(h)
	risks := h.Risks
	for n := len(risks); n >= 0; n-- {
		h.Risks = make([]string, 0, n+1)
		for _, r := range risks[:n] {
			h.Risks = append(h.Risks, words.ClipBytes(r, maxTitle))
		}
		if n < len(risks) {
			h.Risks = append(h.Risks, strconv.Itoa(len(risks)-n)+" more: kedge risk ls")
		}
		b, err := WriteHandoff(h)
		if err != nil || words.Tokens(split(b).body) < MaxHandoff {
			return h, true // what can not be written WriteHandoff says better
		}
	}
	return h, false
}
