package kedge

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"time"
)

// Ids are a prefix, a dash and 26 characters: 48 bits of time and 80 random bits,
// so that they sort by time and never meet when branches do. Distinct types keep
// one from being taken for another.
type (
	// ProjectID names a project: prj-…
	ProjectID string
	// SessionID names a session: ses-…
	SessionID string
	// EventID names an event: evt-…
	EventID string
	// PlanID names a plan: pln-…
	PlanID string
	// CheckpointID names a checkpoint or a handoff: ckp-…
	CheckpointID string
	// DecisionID names a decision: dec-…
	DecisionID string
	// RiskID names a risk: rsk-…
	RiskID string
	// NoteID names a note: not-…
	NoteID string
	// EvidenceID names a verdict with what it rests on: evd-…
	EvidenceID string
	// SalvageID names what was set aside: sal-…
	SalvageID string
	// RunID names a run: run-…
	RunID string
	// FeatureID names a feature; people choose it: see ValidName
	FeatureID string
)

// base32 is Crockford's alphabet in lower case: no i, l, o, u.
const base32 = "0123456789abcdefghjkmnpqrstvwxyz"

// NewID makes an id with the given prefix for the given moment.
func NewID(prefix string, at time.Time) string {
	var b [16]byte
	ms := uint64(max(at.UnixMilli(), 0))
	binary.BigEndian.PutUint64(b[:8], ms<<16)
	_, _ = rand.Read(b[6:]) // never fails: crypto/rand aborts the program instead
	return prefix + "-" + encode32(b)
}

// DeriveID makes the id that belongs to a key: the same key and moment give the
// same id, so that what is done again finds what was done before. The key must
// not be a secret, nor one that somebody else could want to guess.
func DeriveID(prefix string, at time.Time, key string) string {
	var b [16]byte
	sum := sha256.Sum256([]byte(prefix + "\x00" + key))
	binary.BigEndian.PutUint64(b[:8], uint64(max(at.UnixMilli(), 0))<<16)
	copy(b[6:], sum[:])
	return prefix + "-" + encode32(b)
}

// encode32 writes 128 bits as 26 digits, the first holding three bits.
func encode32(b [16]byte) string {
	hi, lo := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	var out [26]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = base32[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return string(out[:])
}

// MomentOf is when an id was made; zero for what is no such id.
func MomentOf(id string) time.Time {
	const digits = 10 // of the time
	_, rest, _ := strings.Cut(id, "-")
	if len(rest) != 26 {
		return time.Time{}
	}
	ms := int64(0)
	for _, c := range []byte(rest[:digits]) {
		at := strings.IndexByte(base32, c)
		if at < 0 {
			return time.Time{}
		}
		ms = ms<<5 | int64(at)
	}
	return time.UnixMilli(ms)
}

// ValidID tells whether s is an id with the given prefix.
func ValidID(prefix, s string) bool {
	rest, ok := strings.CutPrefix(s, prefix+"-")
	return ok && len(rest) == 26 && strings.Trim(rest, base32) == ""
}

// ValidName tells whether s may name something that becomes a path or a ref:
// 1 to 64 of a-z, 0-9, dot, dash, underscore; not starting with a dot or dash,
// not ending in a dot or ".lock", without "..".
func ValidName(s string) bool {
	if s == "" || len(s) > 64 || s[0] == '.' || s[0] == '-' {
		return false
	}
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_') {
			return false
		}
	}
	return !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, ".lock") && !strings.Contains(s, "..")
}

// shortID is how much of the end of an id people are shown, and how much of it they have to
// type at least. The beginning is the time, which ids of one day share.
const shortID = 5

// ShortID is an id as people are shown it: the last five characters.
func ShortID[T ~string](id T) string { return string(id)[max(len(id)-shortID, 0):] }

// MeansID tells whether somebody who types a word may mean an id: all of it, or at least its
// last five characters, with or without the prefix.
func MeansID[T ~string](id T, word string) bool {
	if string(id) == word {
		return true
	}
	prefix, _, _ := strings.Cut(string(id), "-")
	end := strings.TrimPrefix(word, prefix+"-")
	return len(end) >= shortID && strings.HasSuffix(string(id), end)
}
