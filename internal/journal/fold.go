package journal

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"kedge"
)

// Kind names a kind of document folded from events.
type Kind string

// The kinds, with the type of each one's documents. Ids are those of the thing
// itself where it has one.
const (
	KindProject    Kind = "project"    // kedge.Project
	KindFeature    Kind = "feature"    // FeatureDoc; in the order of the ledger
	KindPlan       Kind = "plan"       // kedge.PlanData
	KindDecision   Kind = "decision"   // kedge.Decision
	KindRisk       Kind = "risk"       // kedge.Risk
	KindNote       Kind = "note"       // kedge.Note
	KindObjective  Kind = "objective"  // kedge.Objective
	KindCheckpoint Kind = "checkpoint" // kedge.Checkpoint
	KindHandoff    Kind = "handoff"    // kedge.Handoff
	KindEvidence   Kind = "evidence"   // kedge.Evidence
	KindGate       Kind = "gate"       // kedge.GateStartedData, by the key of its request
	KindSession    Kind = "session"    // kedge.Session
	KindSeen       Kind = "seen"       // SeenDoc; only SeenLast
	KindEdit       Kind = "edit"       // EditDoc, by the event's id
	KindSalvage    Kind = "salvage"    // kedge.Salvage
	KindFilter     Kind = "filter"     // kedge.FilterApprovedData, by the filter's name
	KindTrust      Kind = "trust"      // kedge.TrustedFor, by its ID: what a person approved
	KindUntrusted  Kind = "untrusted"  // kedge.TrustFoundData, by the worktree: what was found there last
	KindSaid       Kind = "said"       // kedge.RunSaidData
	KindInspection Kind = "inspection" // kedge.Inspection
	KindRun        Kind = "run"        // read by Run and Runs, with what follows
	KindRunPart    Kind = "run_part"   // some of a run's features
)

// SeenLast is the id of the only KindSeen document.
const SeenLast = "last"

// FeatureDoc is a feature with what the journal knows beside features.json.
type FeatureDoc struct {
	kedge.Feature
	Hash    string       `json:"hash"` // of the locked definition
	Order   int          `json:"order"`
	Claim   kedge.Status `json:"claim,omitempty"`   // what an import asserted
	Source  string       `json:"source,omitempty"`  // where it came from
	Reason  string       `json:"reason,omitempty"`  // of the last change
	Wanted  string       `json:"wanted,omitempty"`  // why a person reopened it; until it is done, or waits for review
	Said    int64        `json:"said,omitempty"`    // the event with which a person changed the status; 0: Kedge or an agent did
	Drafted bool         `json:"drafted,omitempty"` // an agent wrote the definition, and you did not amend it
	Alike   []string     `json:"alike,omitempty"`   // hashes of the definitions before that asked for the same work, with other dependencies
}

// Named are the paths that the definition names, where you wrote or approved it.
func (d FeatureDoc) Named() []string {
	if d.Drafted {
		return nil
	}
	return d.Paths
}

// Announced are the tests that the definition lets the work change, where you wrote or approved it.
func (d FeatureDoc) Announced() []string {
	if d.Drafted {
		return nil
	}
	return d.ChangesTests
}

// Asks tells whether the definition of a hash, which may be shortened, asks for the work
// that the present one asks for.
func (d FeatureDoc) Asks(hash string) bool {
	return strings.HasPrefix(d.Hash, hash) || slices.ContainsFunc(d.Alike, func(s string) bool { return strings.HasPrefix(s, hash) })
}

// SeenDoc is the tree that Kedge saw last.
type SeenDoc struct {
	kedge.FilesSeenData
	At time.Time `json:"at"`
}

// EditDoc is one hand edit that was found.
type EditDoc struct {
	kedge.HandEditData
	At time.Time `json:"at"`
}

// change is a document as an event leaves it, and the words it is found by.
type change struct {
	kind Kind
	id   string
	pos  int64
	doc  string
	text words

	about string // see subject
}

// words are what a document is searched by; a kind that is not searched has
// none.
type words struct{ title, body string }

// lookup reads a document as it was before the event.
type lookup func(kind Kind, id string) (doc string, pos int64, ok bool, err error)

// folding is the fold of one event: a pure function of the event and of the
// documents before it.
type folding struct {
	ev  kedge.Event
	get lookup
	out []change
}

// fold gives the documents that an event changes. A type that is not known,
// from a newer Kedge, changes none.
func fold(ev kedge.Event, get lookup) ([]change, error) {
	f := &folding{ev: ev, get: get}
	fn := folders[ev.Type]
	if ev.Type.ChangesSession() {
		fn = foldSession
	}
	if fn == nil {
		return nil, nil
	}
	err := fn(f)
	return f.out, err
}

// folders says how each type of event folds, but for those that change a session: these
// fold as kedge.Session says.
var folders = map[kedge.EventType]func(*folding) error{
	kedge.ProjectCreated:  foldProject,
	kedge.ProjectMoved:    foldProjectMoved,
	kedge.FeatureAdded:    foldFeatureAdded,
	kedge.FeatureAmended:  foldFeatureAmended,
	kedge.FeatureStatus:   foldFeatureStatus,
	kedge.DecisionSaved:   foldDecision,
	kedge.RiskClosed:      foldRiskClosed,
	kedge.FilesSeen:       foldSeen,
	kedge.RunStepped:      foldRun,
	kedge.HandEditFound:   foldEdit,
	kedge.PlanSaved:       keep(KindPlan, func(d kedge.PlanData) string { return string(d.ID) }, nil),
	kedge.RiskOpened:      keep(KindRisk, func(d kedge.Risk) string { return string(d.ID) }, riskWords),
	kedge.ObjectiveSet:    keep(KindObjective, func(d kedge.Objective) string { return d.ID }, nil),
	kedge.NoteAdded:       keep(KindNote, func(d kedge.Note) string { return string(d.ID) }, noteWords),
	kedge.CheckpointSaved: keep(KindCheckpoint, func(d kedge.Checkpoint) string { return string(d.ID) }, checkpointWords),
	kedge.HandoffSaved:    keep(KindHandoff, func(d kedge.Handoff) string { return string(d.ID) }, nil),
	kedge.GateDropped:     foldGateDropped,
	kedge.GateStarted:     keep(KindGate, func(d kedge.GateStartedData) string { return d.Key }, nil),
	kedge.GateFinished:    keep(KindEvidence, func(d kedge.Evidence) string { return string(d.ID) }, nil),
	kedge.SessionStarted:  keep(KindSession, func(d kedge.Session) string { return string(d.ID) }, nil),
	kedge.SalvageMade:     keep(KindSalvage, func(d kedge.Salvage) string { return string(d.ID) }, nil),
	kedge.RunSaid:         keep(KindSaid, func(d kedge.RunSaidData) string { return d.ID }, nil),
	kedge.WorkInspected:   keep(KindInspection, func(d kedge.Inspection) string { return d.ID }, nil),
	kedge.TrustApproved:   foldTrust,
	kedge.TrustFound:      keep(KindUntrusted, func(d kedge.TrustFoundData) string { return d.Dir }, nil),
	kedge.FilterApproved:  keep(KindFilter, func(d kedge.FilterApprovedData) string { return d.Name }, nil),
}

// keep folds an event whose payload is the document.
func keep[T any](kind Kind, id func(T) string, text func(T) words) func(*folding) error {
	return func(f *folding) error {
		d, err := payload[T](f)
		if err != nil {
			return err
		}
		var w words
		if text != nil {
			w = text(d)
		}
		return f.save(kind, id(d), d, w)
	}
}

// payload decodes the event's data.
func payload[T any](f *folding) (T, error) {
	var d T
	if err := json.Unmarshal(f.ev.Data, &d); err != nil {
		return d, kedge.Errorf(kedge.Invalid, "an event of type %q in Kedge's journal has invalid data: %w", f.ev.Type, err)
	}
	return d, nil
}

// load reads a document; a missing one is NotFound.
func load[T any](f *folding, kind Kind, id string) (T, error) {
	var d T
	doc, _, ok, err := f.get(kind, id)
	if err != nil {
		return d, err
	}
	if !ok {
		return d, kedge.Errorf(kedge.NotFound, "Kedge's journal has no %s %q", kind, id)
	}
	if err := json.Unmarshal([]byte(doc), &d); err != nil {
		return d, kedge.Errorf(kedge.Internal, "what Kedge stored about %s %q is damaged: %w", kind, id, err)
	}
	return d, nil
}

// save records a document in the place it had; a new one comes after all that
// are there.
func (f *folding) save(kind Kind, id string, doc any, text words) error {
	pos := f.ev.Seq
	_, was, ok, err := f.get(kind, id)
	if err != nil {
		return err
	}
	if ok {
		pos = was
	}
	return f.saveAt(kind, id, pos, doc, text)
}

func (f *folding) saveAt(kind Kind, id string, pos int64, doc any, text words) error {
	if id == "" {
		return kedge.Errorf(kedge.Invalid, "an event of type %q in Kedge's journal has no id", f.ev.Type)
	}
	b, err := json.Marshal(doc)
	if err != nil {
		return kedge.Errorf(kedge.Invalid, "an event of type %q in Kedge's journal has invalid data: %w", f.ev.Type, err)
	}
	f.out = append(f.out, change{kind: kind, id: id, pos: pos, doc: string(b), text: text, about: subject(doc)})
	return nil
}

// lines joins what is not empty.
func lines(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "\n")
}
