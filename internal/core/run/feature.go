package run

import (
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/text/strict"
)

// Spec is what a run has to know of a feature's definition; the definition
// itself is known to it by hash only. Specs come in the order of the plan.
type Spec struct {
	ID     kedge.FeatureID   `json:"id"`
	Hash   string            `json:"hash"`
	Needs  []kedge.FeatureID `json:"needs,omitempty"`
	Phase  string            `json:"phase,omitempty"`
	Status kedge.Status      `json:"status,omitempty"`
	Claim  bool              `json:"claim,omitempty"`  // an import says that it is completed
	Work   string            `json:"work,omitempty"`   // of an earlier run: see Feature
	Wanted string            `json:"wanted,omitempty"` // why a person reopened it, which its checks need not show
	Aside  bool              `json:"aside,omitempty"`  // see Feature
	Denied bool              `json:"denied,omitempty"` // see Feature
	Broken int               `json:"broken,omitempty"` // how often earlier runs, whose work has not landed, found it red again
	Budget kedge.Budget      `json:"budget"`
}

// SpecOf is the spec of a feature whose canonical definition has the hash.
func SpecOf(f kedge.Feature, hash string) Spec {
	return Spec{
		ID: f.ID, Hash: hash, Needs: f.Dependencies, Phase: f.Phase,
		Status: f.Status, Budget: f.Budget,
	}
}

// Feature is a feature as the run keeps it. Its JSON is one short string, so
// that the state of five thousand features stays small.
type Feature struct {
	ID          kedge.FeatureID
	Hash        string // of the definition, shortened
	Status      kedge.Status
	Needs       []int // places in State.Features; unknown is one that never completes
	Phase       int   // place in State.Phases
	Claim       Claim // why it may be done as it is: completed as soon as its checks are green in the clean worktree
	Budget      kedge.Budget
	Attempts    int  // used
	Regressions int  // how often it was reopened because it was red again
	Red         bool // it was done, and is red with what is on the integration branch; until it is done, skipped or taken back
	Sessions    int  // that worked on it, in every job and attempt
	Spent       kedge.Spend
	Work        string // commits of work that nobody accepted, on the integration branch, shortened, with commas; empty: none
	Let         Let    // whether that may land
	Wanted      bool   // a person reopened it and said why: it gets a session, whatever its checks say before
	Aside       bool   // it waits for review, and its work was set aside: there is nothing to accept
	Before      bool   // it was done, or skipped, before the run began
	Denied      bool   // a person denied work on it, since it was last done: what was seen before that proves nothing
	Early       bool   // there is no plan yet: the run knows it for its work alone, and builds nothing of it
}

// Claim is why a feature may be done as it is, in the definition that it has: nothing
// of one outlives an amendment.
type Claim string

// The claims; empty is none.
const (
	ClaimSaid     Claim = "s" // a list or a plan says so: where it has no checks, a person has to
	ClaimDone     Claim = "d" // it was done once: where it has no checks, it is worked on again
	ClaimAccepted Claim = "a" // a person says so: where it has no checks, that is enough
)

// Let is a person's leave for work to land that no check of its own verified.
type Let string

// The leaves; empty is none.
const (
	LetAccepted Let = "a" // a person accepted it; it is being written down
	LetUnseen   Let = "u" // before anybody accepted it
	LetLanded   Let = "l" // it has landed: on the user's branch only the user takes it back
)

// unknown is the place of a dependency that is not in the list.
const unknown = -1

// hashLength is how much of a definition's hash the state keeps.
const hashLength = 12

var letters = []struct {
	status kedge.Status
	letter string
}{
	{kedge.Pending, "p"},
	{kedge.InProgress, "i"},
	{kedge.Completed, "c"},
	{kedge.BlockedWork, "b"},
	{kedge.NeedsReview, "n"},
	{kedge.Regressed, "r"},
	{kedge.Skipped, "s"},
}

// fields are what the text of a feature holds behind its status, in this order: what differs from
// nothing, each behind its letter.
var fields = []struct {
	letter byte
	of     func(*Feature) any
}{
	{'n', func(f *Feature) any { return &f.Needs }},
	{'p', func(f *Feature) any { return &f.Phase }},
	{'a', func(f *Feature) any { return &f.Budget.Attempts }},
	{'t', func(f *Feature) any { return &f.Budget.Tokens }},
	{'u', func(f *Feature) any { return &f.Budget.USD }},
	{'A', func(f *Feature) any { return &f.Attempts }},
	{'R', func(f *Feature) any { return &f.Regressions }},
	{'S', func(f *Feature) any { return &f.Sessions }},
	{'T', func(f *Feature) any { return &f.Spent.Tokens }},
	{'U', func(f *Feature) any { return &f.Spent.USD }},
	{'c', func(f *Feature) any { return &f.Claim }},
	{'w', func(f *Feature) any { return &f.Work }},
	{'l', func(f *Feature) any { return &f.Let }},
	{'e', func(f *Feature) any { return &f.Early }},
	{'b', func(f *Feature) any { return &f.Before }},
	{'g', func(f *Feature) any { return &f.Wanted }},
	{'s', func(f *Feature) any { return &f.Aside }},
	{'r', func(f *Feature) any { return &f.Red }},
	{'d', func(f *Feature) any { return &f.Denied }},
}

// MarshalText writes id, hash and the letter of the status, then the fields.
func (f Feature) MarshalText() ([]byte, error) {
	b := make([]byte, 0, 64)
	b = append(b, f.ID...)
	b = append(append(b, ' '), f.Hash...)
	for _, l := range letters {
		if l.status == f.Status {
			b = append(append(b, ' '), l.letter...)
		}
	}
	for _, field := range fields {
		if text := strict.Short(field.of(&f)); text != nil {
			b = append(append(b, ' ', field.letter), *text...)
		}
	}
	return b, nil
}

// UnmarshalText reads what MarshalText wrote, and refuses anything else.
func (f *Feature) UnmarshalText(text []byte) error {
	parts := strings.Split(string(text), " ")
	if len(parts) < 3 || !kedge.ValidName(parts[0]) {
		return damaged(text)
	}
	*f = Feature{ID: kedge.FeatureID(parts[0]), Hash: parts[1]}
	for _, l := range letters {
		if l.letter == parts[2] {
			f.Status = l.status
		}
	}
	if f.Status == "" {
		return damaged(text)
	}
	for _, p := range parts[3:] {
		if p == "" || f.field(p[0], p[1:]) != nil {
			return damaged(text)
		}
	}
	return nil
}

func damaged(text []byte) error {
	return kedge.Errorf(kedge.Invalid, "what Kedge stored about a run is damaged: cannot read its feature %q", text).
		WithHint("see what is damaged: kedge doctor")
}

func (f *Feature) field(letter byte, value string) error {
	for _, field := range fields {
		switch {
		case field.letter != letter:
		case letter == 'c' && value == "": // which is all that there once was
			f.Claim = ClaimSaid
			return nil
		default:
			return strict.SetShort(field.of(f), value)
		}
	}
	return strconv.ErrSyntax
}

// workLength is how much of the name of a commit the state keeps for a feature.
const workLength = 16

func shortWork(commit string) string { return commit[:min(len(commit), workLength)] }

// without are the commits of work that are not among others.
func without(work, others string) string {
	gone := strings.Split(others, ",")
	return strings.Join(slices.DeleteFunc(strings.Split(work, ","), func(sha string) bool { return slices.Contains(gone, sha) }), ",")
}

// newest is the last one of the commits of a feature's work.
func newest(work string) string { return work[strings.LastIndexByte(work, ',')+1:] }

func shortHash(h string) string {
	h = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '-'
		}
		return r
	}, h)
	return h[:min(len(h), hashLength)]
}
