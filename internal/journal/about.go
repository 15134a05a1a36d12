package journal

import (
	"context"
	"slices"

	"kedge"
)

// aboutVersion is the first version of a journal whose documents say in a column
// what they are about.
const aboutVersion = 2

// aboutQuery names its index, since SQLite would take the one that spares it
// sorting and read everything; and the index's condition, which it cannot tell
// from an argument.
const aboutQuery = `SELECT id, doc FROM docs INDEXED BY docs_about WHERE kind = ? AND about = ? AND about <> '' ORDER BY pos, id`

// subject is what a document is about: what its kind is asked by, most of all by
// runs, which ask for every feature anew.
func subject(doc any) string {
	switch d := doc.(type) {
	case kedge.Evidence:
		return string(d.Feature)
	case kedge.Inspection:
		return string(d.Feature)
	case kedge.Note:
		return string(d.Feature)
	case kedge.Checkpoint:
		return string(d.Session)
	case kedge.Handoff:
		return string(d.Session)
	case kedge.PlanData:
		return string(d.Run)
	case kedge.RunSaidData:
		return Work(d.Run, d.Feature)
	case kedge.Session:
		return d.Name
	default:
		return ""
	}
}

// Work names the work on a feature in a run: the subject of what you tell it. Without a
// feature, the subject is the run or its plan.
func Work(id kedge.RunID, f kedge.FeatureID) string { return string(id) + "/" + string(f) }

// About gives the documents of a kind with one subject, in their order: verdicts,
// inspections and notes about a feature, checkpoints and handoffs about a session, plans
// about the run that makes them, messages about Work, sessions by name. It reads no
// others.
func About[T any](ctx context.Context, s *Store, kind Kind, of string) ([]T, error) {
	if of == "" {
		return []T{}, nil
	}
	if s.version < aboutVersion { // opened for reading, before anybody who may write has seen it
		list, err := All[T](ctx, s, kind)
		return slices.DeleteFunc(list, func(d T) bool { return subject(d) != of }), err
	}
	rows, err := s.read.QueryContext(ctx, aboutQuery, string(kind), of)
	if err != nil {
		return nil, s.fault("read the journal", err)
	}
	return decodeRows[T](s, kind, rows)
}

// aboutColumn is the column of docs that says what a document is about.
func (s *Store) aboutColumn() string {
	if s.version < aboutVersion {
		return "''"
	}
	return "d.about"
}
