package record

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"time"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/insight/transcript"
)

// Current finds the transcript of the conversation that a living session has. Where the
// agent said what it calls the conversation, no other transcript will do: the file may
// not be there yet. Else it is the first that began in the session's own folder since
// the session did, and that nobody else is known to have.
func Current(ctx context.Context, ses kedge.Session, native string, others func(name string) bool, where transcript.Where) (transcript.File, bool) {
	if where.Agent == "" && Known(ses) {
		where.Agent = ses.Agent
	}
	where.Dirs = Folders(ses.Dir)
	if name := cmp.Or(native, ses.Conversation); name != "" {
		files, err := catalog.Transcripts().Find(ctx, where)
		if f, ok := named(files, name); ok || native != "" || err != nil {
			return f, ok
		}
	}
	where.Dirs = own(ses.Dir)
	files, err := catalog.Transcripts().Find(ctx, where)
	if err != nil {
		return transcript.File{}, false
	}
	files = slices.DeleteFunc(files, func(f transcript.File) bool { return others(f.Name()) })
	return firstSince(ctx, files, ses.StartedAt, time.Time{})
}

// own are the names of a folder itself.
func own(dir string) []string {
	list := []string{dir}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		list = append(list, real)
	}
	return list
}

// named finds the transcript of a conversation by what its agent calls that.
func named(files []transcript.File, conversation string) (transcript.File, bool) {
	for _, f := range files {
		if !f.Side && transcript.Names(f.Name(), conversation) {
			return f, true
		}
	}
	return transcript.File{}, false
}

// firstSince finds the transcript that began first after a time, and before another; a
// zero end is unknown.
func firstSince(ctx context.Context, files []transcript.File, since, ended time.Time) (best transcript.File, ok bool) {
	started, last, first := stamp(since), stamp(ended), ""
	fits := func(at string) bool { return at >= started && (ended.IsZero() || at <= last) }
	for _, f := range files {
		if f.Side || f.Session == "" && untouchedSince(f.Path, since) {
			continue
		}
		if at := catalog.Transcripts().Began(ctx, f); fits(at) && (first == "" || at < first) {
			best, first = f, at
		}
	}
	return best, first != ""
}
