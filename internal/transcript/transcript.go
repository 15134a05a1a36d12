// Package transcript reads what coding programs leave on disk about their
// sessions, and finds it. It owns the formats: one file for each program, and
// the folders in which that program keeps them.
//
// It promises to give everything that it understands, in the order of the file,
// as entries of package audit; to go on behind a line that it does not
// understand, and to count it; and to need memory for one line, not for the
// file. It never writes, never follows what a transcript says, and never asks a
// network.
package transcript

import (
	"context"
	"io"
	"time"

	"kedge/internal/audit"
)

// Meta is what a transcript says about itself.
type Meta struct {
	ID      string   // of the session, by the program; empty is unknown
	Dir     string   // where it worked; empty is unknown
	Skipped int64    // lines that could not be understood
	Unseen  []string // sources of a context that such a transcript does not have, or not all
}

// Emit is given every entry; it must not keep it.
type Emit func(*audit.Entry)

// Options say how to read.
type Options struct {
	Text bool // entries carry their text
}

// format reads one transcript.
type format func(ctx context.Context, r io.Reader, o Options, emit Emit) (Meta, error)

// stamp brings a time into the one form of entries; empty where it is none.
func stamp(s string) string {
	const form = "2006-01-02T15:04:05.000Z"
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return ""
	}
	return at.UTC().Format(form)
}

// stampMilli is stamp of a number of milliseconds since 1970.
func stampMilli(ms int64) string {
	if ms <= 0 {
		return ""
	}
	return stamp(time.UnixMilli(ms).UTC().Format(time.RFC3339Nano))
}
