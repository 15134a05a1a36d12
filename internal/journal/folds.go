package journal

import (
	"bytes"
	"encoding/json"
	"strings"

	"kedge"
)

func foldProject(f *folding) error {
	d, err := payload[kedge.ProjectData](f)
	if err != nil {
		return err
	}
	p := kedge.Project{ID: f.ev.Project, Name: d.Name, Dir: d.Dir, Git: d.Git, CreatedAt: f.ev.At}
	if old, err := load[kedge.Project](f, KindProject, string(p.ID)); err == nil {
		p.CreatedAt = old.CreatedAt
	} else if !kedge.NotFound.Is(err) {
		return err
	}
	return f.save(KindProject, string(p.ID), p, words{})
}

func foldProjectMoved(f *folding) error {
	d, err := payload[kedge.ProjectMovedData](f)
	if err != nil {
		return err
	}
	p, err := load[kedge.Project](f, KindProject, string(f.ev.Project))
	if err != nil {
		return err
	}
	p.Dir = d.Dir
	return f.save(KindProject, string(p.ID), p, words{})
}

func foldFeatureAdded(f *folding) error {
	d, err := payload[kedge.FeatureAddedData](f)
	if err != nil {
		return err
	}
	def, err := definition(f, d.Definition)
	if err != nil {
		return err
	}
	if _, _, ok, err := f.get(KindFeature, string(def.ID)); err != nil {
		return err
	} else if ok {
		return kedge.Errorf(kedge.Conflict, "feature %q exists already", def.ID)
	}
	doc := FeatureDoc{
		Feature: kedge.Feature{
			Definition:   def,
			FeatureState: kedge.FeatureState{Status: kedge.Pending, Files: []string{}, Notes: d.Notes},
		},
		Hash: d.Hash, Order: d.Order, Claim: d.Claim, Source: d.Source, Drafted: f.ev.Actor.IsAgent(),
	}
	return saveFeature(f, doc)
}

func foldFeatureAmended(f *folding) error {
	d, err := payload[kedge.FeatureAmendedData](f)
	if err != nil {
		return err
	}
	doc, err := load[FeatureDoc](f, KindFeature, string(d.ID))
	if err != nil {
		return err
	}
	def, err := definition(f, d.Definition)
	if err != nil {
		return err
	}
	if def.ID != d.ID {
		return kedge.Errorf(kedge.Invalid, "an event of type %q in Kedge's journal is about feature %q, but defines feature %q", f.ev.Type, d.ID, def.ID)
	}
	if same, err := sameWork(doc.Definition, def); err != nil {
		return err
	} else if same {
		doc.Alike = append(doc.Alike, doc.Hash)
	} else {
		doc.Alike = nil
	}
	doc.Drafted = f.ev.Actor.IsAgent()
	doc.Definition, doc.Hash, doc.Reason, doc.Claim = def, d.Hash, d.Reason, "" // which was about another definition
	return saveFeature(f, doc)
}

// sameWork tells whether two definitions differ in nothing but what they depend on.
func sameWork(a, b kedge.Definition) (bool, error) {
	a.Dependencies, b.Dependencies = nil, nil
	one, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	other, err := json.Marshal(b)
	return bytes.Equal(one, other), err
}

// foldFeatureStatus changes the mutable half. A nil field stays as it was; one
// that points to the zero value is taken back to null.
func foldFeatureStatus(f *folding) error {
	d, err := payload[kedge.FeatureStatusData](f)
	if err != nil {
		return err
	}
	doc, err := load[FeatureDoc](f, KindFeature, string(d.ID))
	if err != nil {
		return err
	}
	if d.Status != "" {
		if !d.Status.Valid() {
			return kedge.Errorf(kedge.Invalid, "an event of type %q in Kedge's journal sets the unknown status %q", f.ev.Type, d.Status)
		}
		if d.Status != doc.Status { // else it says only what else is known, such as the files
			doc.Said = 0
			if f.ev.Actor.IsHuman() {
				doc.Said = f.ev.Seq
			}
		}
		doc.Status = d.Status
	}
	doc.Reason = d.Reason
	if d.Files != nil {
		doc.Files = d.Files
	}
	if d.Notes != nil {
		doc.Notes = *d.Notes
	}
	if d.Evidence != nil {
		doc.Evidence = nonZero(d.Evidence)
	}
	if doc.Status == kedge.Completed || doc.Status == kedge.NeedsReview {
		doc.Wanted = ""
	}
	if d.Wanted != nil {
		doc.Wanted = *d.Wanted
	}
	if d.CompletedAt != nil {
		doc.CompletedAt = d.CompletedAt
		if d.CompletedAt.IsZero() {
			doc.CompletedAt = nil
		}
	}
	return saveFeature(f, doc)
}

func nonZero[T comparable](p *T) *T {
	var zero T
	if p == nil || *p == zero {
		return nil
	}
	return p
}

func definition(f *folding, raw []byte) (kedge.Definition, error) {
	d, err := payload[kedge.Definition](&folding{ev: kedge.Event{Type: f.ev.Type, Data: raw}})
	if err == nil && d.ID == "" {
		err = kedge.Errorf(kedge.Invalid, "an event of type %q in Kedge's journal defines a feature without an id", f.ev.Type)
	}
	return d, err
}

func saveFeature(f *folding, doc FeatureDoc) error {
	text := words{
		title: doc.Name,
		body:  lines(string(doc.ID), doc.Description, lines(doc.Acceptance...), lines(doc.Steps...), doc.Notes),
	}
	return f.saveAt(KindFeature, string(doc.ID), int64(doc.Order), doc, text)
}

// foldDecision saves a decision; one that is locked takes the place of the one
// it names.
func foldDecision(f *folding) error {
	data, err := payload[kedge.DecisionData](f)
	if err != nil {
		return err
	}
	d := data.Decision
	if data.Reason != "" {
		d.Reason = data.Reason
	}
	if d.Status == kedge.DecisionLocked && d.Supersedes != "" && d.Supersedes != d.ID {
		old, err := load[kedge.Decision](f, KindDecision, string(d.Supersedes))
		switch {
		case err == nil:
			old.Status = kedge.DecisionSuperseded
			if err := f.save(KindDecision, string(old.ID), old, decisionWords(old)); err != nil {
				return err
			}
		case !kedge.NotFound.Is(err):
			return err
		}
	}
	return f.save(KindDecision, string(d.ID), d, decisionWords(d))
}

func foldRiskClosed(f *folding) error {
	d, err := payload[kedge.RiskClosedData](f)
	if err != nil {
		return err
	}
	r, err := load[kedge.Risk](f, KindRisk, string(d.ID))
	if err != nil {
		return err
	}
	at := f.ev.At
	r.ClosedAt, r.Reason = &at, d.Reason
	return f.save(KindRisk, string(r.ID), r, riskWords(r))
}

func foldGateDropped(f *folding) error {
	d, err := payload[kedge.GateDroppedData](f)
	if err != nil {
		return err
	}
	g, err := load[kedge.GateStartedData](f, KindGate, d.Key)
	if err != nil {
		return err
	}
	if g.ID == d.ID {
		g.Dropped = d.Reason
	}
	return f.save(KindGate, g.Key, g, words{})
}

// foldSession changes a session by a fact about it.
func foldSession(f *folding) error {
	about, err := payload[struct {
		ID kedge.SessionID `json:"id"`
	}](f)
	if err != nil {
		return err
	}
	s, err := load[kedge.Session](f, KindSession, string(about.ID))
	if err != nil {
		return err
	}
	if err := s.Fold(f.ev); err != nil {
		return err
	}
	return f.save(KindSession, string(s.ID), s, words{})
}

func foldSeen(f *folding) error {
	d, err := payload[kedge.FilesSeenData](f)
	if err != nil {
		return err
	}
	return f.saveAt(KindSeen, SeenLast, f.ev.Seq, SeenDoc{FilesSeenData: d, At: f.ev.At}, words{})
}

func foldEdit(f *folding) error {
	d, err := payload[kedge.HandEditData](f)
	if err != nil {
		return err
	}
	return f.save(KindEdit, string(f.ev.ID), EditDoc{HandEditData: d, At: f.ev.At}, words{})
}

func riskWords(r kedge.Risk) words { return words{title: r.Text, body: r.Reason} }

func decisionWords(d kedge.Decision) words {
	return words{title: d.Title, body: lines(d.Why, rejectedText(d.Rejected), lines(d.AppliesTo...), d.Reason, d.Withdrawn)}
}

func noteWords(n kedge.Note) words {
	return words{title: n.Title, body: lines(n.RootCause, n.Constraints, n.Validation, n.DeadEnds,
		strings.Join(n.Tags, " "), lines(n.Files...), string(n.Feature), strings.Join(n.Commits, " "))}
}

func checkpointWords(c kedge.Checkpoint) words {
	var status, files []string
	for _, l := range c.Status {
		status = append(status, l.Text)
	}
	for _, l := range c.Files {
		files = append(files, l.Path)
	}
	return words{title: c.Task, body: lines(lines(status...), lines(c.Risks...), rejectedText(c.RuledOut),
		lines(files...), c.Resume, c.HumanNotes)}
}

func rejectedText(rs []kedge.Rejected) string {
	var out []string
	for _, r := range rs {
		out = append(out, lines(r.What, r.Reason))
	}
	return lines(out...)
}

// foldTrust keeps each thing that a person approved by itself: approving more takes
// nothing back.
func foldTrust(f *folding) error {
	d, err := payload[kedge.TrustApprovedData](f)
	if err != nil {
		return err
	}
	for _, item := range d.Items {
		doc := kedge.TrustedFor{Trusted: item, Run: d.Run, Feature: d.Feature}
		if err := f.save(KindTrust, item.ID(), doc, words{}); err != nil {
			return err
		}
	}
	return nil
}
