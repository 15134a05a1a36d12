package history

import (
	"encoding/json"
	"strconv"
	"strings"
)

// DiffLine is a line of an edit: + added, - removed, or a space where it stays.
type DiffLine struct {
	Kind byte
	Text string
}

// MarshalText writes a line as patches have it.
func (l DiffLine) MarshalText() ([]byte, error) { return append([]byte{l.Kind}, l.Text...), nil }

// UnmarshalText reads it again.
func (l *DiffLine) UnmarshalText(b []byte) error {
	if len(b) > 0 {
		l.Kind, l.Text = b[0], string(b[1:])
	}
	return nil
}

// edit has the texts of an edit, by their names in all programs.
type edit struct {
	Old1 string `json:"old_string"`
	Old2 string `json:"oldString"`
	Old3 string `json:"oldText"`
	Old4 string `json:"old_str"`
	New1 string `json:"new_string"`
	New2 string `json:"newString"`
	New3 string `json:"newText"`
	New4 string `json:"new_str"`

	Content  string `json:"content"`
	FileText string `json:"file_text"`
	Source   string `json:"new_source"`
	Patch    string `json:"patch"`
	Patched  string `json:"patchText"`
	Input    string `json:"input"`
	Edits    []edit `json:"edits"`
}

// diffOf gives what an edit changes, as far as its input says.
func diffOf(input []byte) []DiffLine {
	var e edit
	if json.Unmarshal(input, &e) != nil {
		return nil
	}
	return e.diff()
}

func (e *edit) diff() (out []DiffLine) {
	old, fresh := e.Old1+e.Old2+e.Old3+e.Old4, e.New1+e.New2+e.New3+e.New4
	switch {
	case len(e.Edits) > 0:
		for i := range e.Edits {
			out = append(out, e.Edits[i].diff()...)
		}
		return out
	case e.Patch+e.Patched+e.Input != "":
		return patchLines(e.Patch + e.Patched + e.Input)
	case old == "" && fresh == "":
		return between("", e.Content+e.FileText+e.Source)
	default:
		return between(old, fresh)
	}
}

// between gives the lines in which two texts differ, with a line around them.
func between(old, fresh string) (out []DiffLine) {
	a, b := split(old), split(fresh)
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	if head > 0 {
		out = append(out, DiffLine{' ', a[head-1]})
	}
	out = append(out, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	if tail > 0 {
		out = append(out, DiffLine{' ', a[len(a)-tail]})
	}
	return out
}

// middle gives the lines of two texts by their longest common lines. Where both are long,
// all of one is replaced by all of the other: to compare them would take too long.
func middle(a, b []string) (out []DiffLine) {
	const most = 250_000 // pairs of lines
	common := make([][]int32, 0)
	if len(a)*len(b) <= most {
		common = commons(a, b)
	}
	i, j := 0, 0
	for len(common) > 0 && i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			out = append(out, DiffLine{' ', a[i]})
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			out = append(out, DiffLine{'-', a[i]})
			i++
		default:
			out = append(out, DiffLine{'+', b[j]})
			j++
		}
	}
	for _, l := range a[i:] {
		out = append(out, DiffLine{'-', l})
	}
	for _, l := range b[j:] {
		out = append(out, DiffLine{'+', l})
	}
	return out
}

// commons says of any two places how many lines two texts have in common from there.
func commons(a, b []string) [][]int32 {
	table := make([][]int32, len(a)+1)
	for i := range table {
		table[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// patchLines gives the lines of a patch.
func patchLines(patch string) (out []DiffLine) {
	for _, l := range split(patch) {
		switch {
		case strings.HasPrefix(l, "*** Begin") || strings.HasPrefix(l, "*** End") || strings.HasPrefix(l, "+++ ") || strings.HasPrefix(l, "--- "):
		case strings.HasPrefix(l, "+"), strings.HasPrefix(l, "-"):
			out = append(out, DiffLine{l[0], l[1:]})
		default:
			out = append(out, DiffLine{' ', strings.TrimPrefix(l, " ")})
		}
	}
	return out
}

// lines says how long a result is.
func lines(text string, chars int) string {
	if chars == 0 {
		return "nothing"
	}
	if len(text) < resultSize {
		if n := strings.Count(text, "\n") + 1; n > 1 {
			return strconv.Itoa(n) + " lines"
		}
	}
	if chars == 1 {
		return "1 character"
	}
	return strconv.Itoa(chars) + " characters"
}
