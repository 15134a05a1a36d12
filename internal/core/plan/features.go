package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/text/strict"
)

// FileVersion is the version of features.json and plan.md that Kedge writes, and
// the only one that it reads.
const FileVersion = 1

// FeatureFile is features.json. The position in Features is the order of equal
// priorities.
type FeatureFile struct {
	Version  int             `json:"version"`
	Project  string          `json:"project"`
	Features []kedge.Feature `json:"features"`
}

// ParseFeatures reads a features.json that Kedge wrote: unknown and duplicate
// keys, another version and a status that does not exist are refused with
// file:line or the feature's id. It does not judge the graph: see Validate.
func ParseFeatures(file string, b []byte) (FeatureFile, error) {
	var f FeatureFile
	if err := strict.Decode(file, b, &f); err != nil {
		return FeatureFile{}, withImportHint(err)
	}
	if f.Version != FileVersion {
		return FeatureFile{}, withImportHint(kedge.Errorf(kedge.Invalid,
			"%s: the file has version %d, and this version of Kedge reads version %d", file, f.Version, FileVersion))
	}
	for i := range f.Features {
		if s := f.Features[i].Status; !s.Valid() {
			return FeatureFile{}, kedge.Errorf(kedge.Invalid, "%s: feature %q has the unknown status %q", file, f.Features[i].ID, s).
				WithHint("use one of: %s", statusList())
		}
		f.Features[i] = normal(f.Features[i])
	}
	if f.Features == nil {
		f.Features = []kedge.Feature{}
	}
	return f, nil
}

func withImportHint(err error) error {
	return kedge.Errorf(kedge.Invalid, "%w", err).WithHint("to read a list from another tool: kedge features import FILE")
}

func statusList() string {
	names := make([]string, len(kedge.Statuses))
	for i, s := range kedge.Statuses {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

// WriteFeatures gives the bytes of features.json: one key per line, so that two
// branches that change different features merge. Equal lists give equal bytes.
func WriteFeatures(f FeatureFile) []byte {
	out := FeatureFile{Version: FileVersion, Project: f.Project, Features: make([]kedge.Feature, len(f.Features))}
	for i, x := range f.Features {
		out.Features[i] = normal(x)
	}
	return encode(out, "  ")
}

// Canonical gives the bytes that a locked definition is hashed over, and their
// SHA-256 in hex. Equal definitions give equal bytes whether their lists are nil
// or empty.
func Canonical(d kedge.Definition) (canonical []byte, hash string) {
	b := bytes.TrimSuffix(encode(normalDefinition(d), ""), []byte("\n"))
	sum := sha256.Sum256(b)
	return b, hex.EncodeToString(sum[:])
}

// encode cannot fail on what Validate accepts; on a value that JSON does
// not have (a NaN in an http check made in code) it gives null, which is refused
// when it is read.
func encode(v any, indent string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // people read "a && b" in check commands
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return []byte("null\n")
	}
	return buf.Bytes()
}

// normal is the one form of a feature: lists instead of nil, valid UTF-8, UTC.
func normal(f kedge.Feature) kedge.Feature {
	f.Definition = normalDefinition(f.Definition)
	f.Files = texts(f.Files)
	f.Notes = text(f.Notes)
	if f.Status == "" {
		f.Status = kedge.Pending
	}
	if f.CompletedAt != nil {
		at := f.CompletedAt.UTC()
		f.CompletedAt = &at
	}
	return f
}

func normalDefinition(d kedge.Definition) kedge.Definition {
	d.ID = kedge.FeatureID(text(string(d.ID)))
	d.Name, d.Phase, d.Category, d.Description = text(d.Name), text(d.Phase), text(d.Category), text(d.Description)
	d.Acceptance, d.Steps, d.Paths = texts(d.Acceptance), texts(d.Steps), texts(d.Paths)
	d.ChangesTests = texts(d.ChangesTests)
	ids := make([]kedge.FeatureID, len(d.Dependencies))
	for i, id := range d.Dependencies {
		ids[i] = kedge.FeatureID(text(string(id)))
	}
	d.Dependencies = ids
	checks := make([]kedge.Check, len(d.Checks))
	for i, c := range d.Checks {
		checks[i] = check.Normalize(c)
	}
	d.Checks = checks
	return d
}

// text replaces what is not UTF-8, as JSON would, so that a text is the same
// before and after it was written.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func texts(in []string) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = text(s)
	}
	return out
}
