package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/text/strict"
	"kedge/internal/text/words"
)

// The formats of a feature list. Kedge's own and the seed's (the same without a
// version and with few keys) are one object; Anthropic's is an array.
const (
	FormatKedge     = "kedge"
	FormatSeed      = "seed"
	FormatAnthropic = "anthropic"
)

// DefaultPriority is that of a feature which states none: its place decides.
const DefaultPriority = 100

// Imported is somebody else's feature list in Kedge's terms. Findings say what
// was renamed or not understood; nothing of it is lost: see Claimed.Notes.
type Imported struct {
	Project  string
	Features []Claimed
	Findings []kedge.Finding
}

// Claimed is an imported feature. It starts as pending whatever the list said;
// Claim is the status it asserted, which the checks must confirm. Notes keeps
// the list's own notes and every key that Kedge does not know, with its value.
type Claimed struct {
	kedge.Definition
	Claim kedge.Status
	Files []string
	Notes string
}

// Import reads a feature list leniently: a missing version is 1, unknown keys
// are kept and reported, ids are made where there are none. Duplicate keys, two
// features with one id and values of the wrong type are refused with file:line.
// format "" means: look at the text.
func Import(file, format string, b []byte) (Imported, error) {
	var whole json.RawMessage
	if err := strict.Decode(file, b, &whole); err != nil {
		return Imported{}, err
	}
	im := &importer{file: file, src: b, ids: map[string]kedge.FeatureID{}, taken: map[kedge.FeatureID]bool{}}
	isArray := bytes.HasPrefix(bytes.TrimSpace(b), []byte("["))
	switch {
	case !slices.Contains([]string{"", FormatKedge, FormatSeed, FormatAnthropic}, format):
		return Imported{}, unknownFormat(format)
	case format != "" && (format == FormatAnthropic) != isArray:
		return Imported{}, kedge.Errorf(kedge.Invalid, "%s:1: this is not a feature list of the format %q", file, format).
			WithHint("repeat your command without --format: Kedge detects the format itself")
	}
	if err := im.read(isArray); err != nil {
		return Imported{}, err
	}
	return im.out, nil
}

func unknownFormat(format string) error {
	return kedge.Errorf(kedge.Invalid, "unknown format %q", format).
		WithHint("use --format with one of: %s, %s, %s", FormatAnthropic, FormatKedge, FormatSeed)
}

type importer struct {
	file  string
	src   []byte
	out   Imported
	rows  []row
	ids   map[string]kedge.FeatureID // as written → as used
	taken map[kedge.FeatureID]bool

	counted int64 // how far lines were counted
	lines   int
}

// row is one feature as it stands in the list.
type row struct {
	n    int // its place in the list
	line int
	keys map[string]json.RawMessage
	id   string // as written; "" when there is none
}

func (im *importer) read(isArray bool) error {
	dec := json.NewDecoder(bytes.NewReader(im.src))
	var err error
	if isArray {
		err = im.list(dec)
	} else {
		err = im.object(dec)
	}
	if err != nil {
		return err
	}
	if err := im.nameRows(); err != nil {
		return err
	}
	for i := range im.rows {
		if err := im.feature(&im.rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// object reads the outer object; the text is known to be valid JSON.
func (im *importer) object(dec *json.Decoder) error {
	if t, _ := dec.Token(); t != json.Delim('{') {
		return im.refuse(1, "a feature list must be a JSON object or a JSON array")
	}
	found := false
	for dec.More() {
		key, _ := dec.Token()
		line := im.line(dec.InputOffset())
		if key == "features" {
			found = true
			if err := im.list(dec); err != nil {
				return err
			}
			continue
		}
		var raw json.RawMessage
		_ = dec.Decode(&raw)
		if err := im.headKey(line, key, raw); err != nil {
			return err
		}
	}
	if !found {
		return im.refuse(1, `there is no key "features"`)
	}
	return nil
}

func (im *importer) headKey(line int, key json.Token, raw json.RawMessage) error {
	switch key {
	case "version":
		if string(raw) != "1" {
			return im.refuse(line, "version is %s, this Kedge reads version %d", raw, FileVersion)
		}
	case "project":
		if json.Unmarshal(raw, &im.out.Project) != nil {
			return im.refuse(line, `"project" must be a string`)
		}
	default:
		im.note(line, "Kedge does not know the key %q and left it out: %s", key, short(raw))
	}
	return nil
}

func (im *importer) list(dec *json.Decoder) error {
	if t, _ := dec.Token(); t != json.Delim('[') {
		return im.refuse(im.line(dec.InputOffset()), `"features" must be a list`)
	}
	for dec.More() {
		var raw json.RawMessage
		_ = dec.Decode(&raw)
		r := row{n: len(im.rows) + 1, line: im.line(dec.InputOffset() - int64(len(raw)))}
		if json.Unmarshal(raw, &r.keys) != nil || r.keys == nil {
			return im.refuse(r.line, "a feature must be an object")
		}
		im.rows = append(im.rows, r)
	}
	_, _ = dec.Token()
	return nil
}

// line counts on from where it was asked last: offsets only grow, and a list may
// be long.
func (im *importer) line(offset int64) int {
	offset = max(min(offset, int64(len(im.src))), im.counted)
	im.lines += bytes.Count(im.src[im.counted:offset], []byte("\n"))
	im.counted = offset
	return 1 + im.lines
}

func (im *importer) refuse(line int, format string, args ...any) error {
	return kedge.Errorf(kedge.Invalid, "%s:%d: %s", im.file, line, fmt.Sprintf(format, args...))
}

func (im *importer) note(line int, format string, args ...any) {
	im.out.Findings = append(im.out.Findings, kedge.Finding{
		Level: kedge.LevelInfo, What: fmt.Sprintf(format, args...), Where: fmt.Sprintf("%s:%d", im.file, line),
	})
}

// nameRows settles every feature's id before any dependency is read. Ids that
// can be used as they are go first, so that a made one never takes theirs.
func (im *importer) nameRows() error {
	for i := range im.rows {
		r := &im.rows[i]
		id, err := idText(r.keys["id"])
		if err != nil {
			return im.refuse(r.line, `"id" must be a string`)
		}
		r.id = id
		if id == "" || !kedge.ValidName(id) {
			continue
		}
		if im.taken[kedge.FeatureID(id)] {
			return im.refuse(r.line, "two features have the id %q", id)
		}
		im.taken[kedge.FeatureID(id)], im.ids[id] = true, kedge.FeatureID(id)
	}
	next := map[string]int{}
	for i := range im.rows {
		r := &im.rows[i]
		if im.ids[r.id] != "" && kedge.ValidName(r.id) {
			continue
		}
		text := firstText(r.id, r.keys["name"], r.keys["title"], r.keys["description"])
		if text == "" {
			return im.refuse(r.line, "feature %d of the list has no id, no name and no description", r.n)
		}
		made := im.free(slug(text), next)
		if r.id == "" {
			r.id = "\x00" + string(made) // no written id can be equal to it
		} else if im.ids[r.id] != "" {
			return im.refuse(r.line, "two features have the id %q", r.id)
		} else {
			im.note(r.line, "the id %q is not valid and became %q", r.id, made)
		}
		im.ids[r.id] = made
	}
	return nil
}

// free gives the first id of base, base-2, base-3 … that nobody has.
func (im *importer) free(base string, next map[string]int) kedge.FeatureID {
	id := kedge.FeatureID(base)
	for im.taken[id] {
		next[base] = max(next[base], 1) + 1
		id = kedge.FeatureID(fmt.Sprintf("%s-%d", base, next[base]))
	}
	im.taken[id] = true
	return id
}

// idText reads an id or a dependency: a string, or a number as some lists have.
func idText(raw json.RawMessage) (string, error) {
	var s string
	var n json.Number
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", nil
	case json.Unmarshal(raw, &s) == nil:
		return strings.TrimSpace(s), nil
	}
	err := json.Unmarshal(raw, &n)
	return n.String(), err
}

// feature reads one row. Keys are taken out one by one; what is left is unknown.
func (im *importer) feature(r *row) error {
	t := &taker{row: r}
	delete(r.keys, "id")
	c := Claimed{Definition: kedge.Definition{ID: im.ids[r.id], Priority: DefaultPriority}}
	take(t, "name", &c.Name)
	take(t, "title", &c.Name)
	take(t, "phase", &c.Phase)
	take(t, "category", &c.Category)
	take(t, "priority", &c.Priority)
	take(t, "description", &c.Description)
	take(t, "acceptance", &c.Acceptance)
	take(t, "acceptanceCriteria", &c.Acceptance)
	take(t, "steps", &c.Steps)
	take(t, "paths", &c.Paths)
	take(t, "changes_tests", &c.ChangesTests)
	takeChecks(t, &c.Checks)
	take(t, "budget", &c.Budget)
	take(t, "files", &c.Files)
	take(t, "notes", &c.Notes)
	c.Claim = t.claim()
	var deps []json.RawMessage
	take(t, "dependencies", &deps)
	for _, raw := range deps {
		id, err := idText(raw)
		if err != nil {
			t.bad = "dependencies"
		}
		c.Dependencies = append(c.Dependencies, im.idOf(id))
	}
	if t.bad != "" {
		return im.refuse(r.line, "feature %q: %q has a value of the wrong type", c.ID, t.bad)
	}
	if c.Name = strings.Join(strings.Fields(c.Name), " "); c.Name == "" { // a name is one line
		c.Name = headline(c.Description, string(c.ID))
	}
	if short, whole := shortName(c.Name); !whole {
		t.kept = append(t.kept, "name: "+c.Name)
		im.note(r.line, "feature %q: Kedge shortened its name to %d characters; the notes have all of it", c.ID, MaxName)
		c.Name = short
	}
	c.Notes = im.keep(r, t, c)
	f := normal(kedge.Feature{Definition: c.Definition, FeatureState: kedge.FeatureState{Files: c.Files, Notes: c.Notes}})
	im.out.Features = append(im.out.Features, Claimed{f.Definition, c.Claim, f.Files, f.Notes})
	return nil
}

// idOf leaves an id that the list does not have as it is: it may be one that
// the journal has.
func (im *importer) idOf(written string) kedge.FeatureID {
	if id, ok := im.ids[written]; ok {
		return id
	}
	return kedge.FeatureID(written)
}

// keep gives the notes with what Kedge did not understand behind them.
func (im *importer) keep(r *row, t *taker, c Claimed) string {
	notes := c.Notes
	add := func(line string) {
		if notes != "" {
			notes += "\n"
		}
		notes += line
	}
	for _, line := range t.kept {
		add(line)
	}
	for _, k := range slices.Sorted(maps.Keys(r.keys)) {
		add(k + ": " + compact(r.keys[k]))
		if k != "completedAt" && k != "evidence" {
			im.note(r.line, "feature %q: Kedge does not know the key %q and kept its value in the notes", c.ID, k)
		}
	}
	for _, u := range t.unknown {
		im.note(r.line, "feature %q: Kedge does not know the key %q and kept its value in the notes", c.ID, u)
	}
	return notes
}

// taker takes known keys out of a row and remembers the first of a wrong type.
type taker struct {
	row     *row
	bad     string
	unknown []string // unknown keys inside known ones
	kept    []string
}

// takeChecks reads checks as Kedge writes them, or as lines: "go test", "http GET / 200".
func takeChecks(t *taker, into *[]kedge.Check) {
	var lines []string
	if json.Unmarshal(t.row.keys["checks"], &lines) != nil || len(lines) == 0 {
		take(t, "checks", into)
		return
	}
	delete(t.row.keys, "checks")
	*into = check.Lines(lines)
}

func take[T any](t *taker, key string, into *T) {
	raw, ok := t.row.keys[key]
	if !ok {
		return
	}
	delete(t.row.keys, key)
	if string(raw) == "null" {
		return
	}
	var v T
	unknown, err := strict.Lenient(key, raw, &v)
	if err != nil {
		if t.bad == "" {
			t.bad = key
		}
		return
	}
	for _, u := range unknown {
		t.unknown = append(t.unknown, strings.Replace(key+"."+u, ".[", "[", 1))
	}
	if len(unknown) > 0 {
		t.kept = append(t.kept, key+": "+compact(raw))
	}
	*into = v
}

// claim reads what the list says of the feature's state: a status, or passes.
// A completion date and evidence are left to be kept in the notes.
func (t *taker) claim() kedge.Status {
	var status kedge.Status
	var passes bool
	take(t, "status", &status)
	take(t, "passes", &passes)
	for _, key := range []string{"completedAt", "evidence"} {
		if raw := string(t.row.keys[key]); raw == "null" {
			delete(t.row.keys, key)
		}
	}
	switch {
	case passes:
		return kedge.Completed
	case status == "" || status == kedge.Pending:
		return ""
	case !status.Valid():
		t.kept = append(t.kept, "status: "+string(status))
		t.unknown = append(t.unknown, "status="+string(status))
		return ""
	}
	return status
}

func firstText(id string, raws ...json.RawMessage) string {
	if id != "" {
		return id
	}
	for _, raw := range raws {
		var s string
		if json.Unmarshal(raw, &s) == nil && strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

func short(raw json.RawMessage) string {
	const most = 60
	return words.Clip(compact(raw), most)
}
