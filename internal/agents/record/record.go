// Package record reads the record of a session (the transcript that its program keeps, or
// the output that Kedge kept), so that another session can continue the work. It owns the
// way from any record to package resume. Runs, resume, briefs and hooks all use this way.
//
// It promises that the same record gives the same brief, and that a missing record is
// reported as missing. It never writes, and never asks a model.
package record

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/watch"
	"kedge/internal/git"
	"kedge/internal/insight/resume"
	"kedge/internal/insight/transcript"
	"kedge/internal/process/tape"
)

// Transcript picks the work up from a transcript, from the lines before one; 0 is
// all.
func Transcript(ctx context.Context, f transcript.File, before int) (*resume.Picker, transcript.Meta, error) {
	p := resume.New()
	p.WorksIn(catalog.Transcripts().Folder(ctx, f))
	m, err := catalog.Transcripts().ReadFile(ctx, f, transcript.Options{Text: true, Before: before}, p.Add)
	return p, m, err
}

// Output picks the work up from what a session printed, kept in its folder and read
// by its adapter's reader; work is the folder that it worked in. Also is given every
// event. A session without output left nothing: the Picker is empty.
func Output(folder, work string, r agents.Reader, also func(watch.Act)) (*resume.Picker, error) {
	p := resume.New()
	log := tape.Open(folder)
	from, end, err := log.Range()
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, kedge.Errorf(kedge.Internal, "cannot read the session's output in %q: %w", folder, err)
	}
	in := io.NewSectionReader(log, from, end-from)
	buf := make([]byte, 64<<10)
	for {
		n, err := in.Read(buf)
		evs, _ := r.Feed(buf[:n], time.Time{})
		for _, ev := range evs {
			p.Event(ev, work)
			also(ev)
		}
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return p, kedge.Errorf(kedge.Internal, "cannot read the session's output in %q: %w", folder, err)
		}
	}
}

// Left finds the transcript that the program in a session of Kedge left: the one of
// its conversation, where that is known; else, of those in the session's folder, the
// first that began when the session did, or later, and before it ended; a zero end is
// unknown, or of one that runs. Where says where programs keep their files; whose
// transcript it can be is known by the session's program, else where.Agent says it.
func Left(ctx context.Context, ses kedge.Session, ended time.Time, where transcript.Where) (transcript.File, bool) {
	where.Dirs = Folders(ses.Dir)
	if where.Agent == "" && Known(ses) {
		where.Agent = ses.Agent
	}
	files, err := catalog.Transcripts().Find(ctx, where)
	if err != nil {
		return transcript.File{}, false
	}
	if ses.Conversation != "" {
		if f, ok := named(files, ses.Conversation); ok {
			return f, true
		}
	}
	return firstSince(ctx, files, ses.StartedAt, ended)
}

// Known tells whether the program of a session is one that leaves transcripts.
func Known(ses kedge.Session) bool { return slices.Contains(catalog.Transcripts().Agents(), ses.Agent) }

// untouchedSince tells whether a file was last written before a time: nothing that
// began later stands in it. Some file systems keep whole seconds.
func untouchedSince(path string, t time.Time) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.ModTime().Before(t.Add(-2*time.Second))
}

// stamp is a time as transcripts have it: their order is that of the texts.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// Folders gives where the sessions of a project work: the folder itself, the root of
// its worktree, the main one and all others, each also as it is called without
// symbolic links.
func Folders(dir string) []string {
	list := []string{dir}
	if pl, ok := git.Locate(dir); ok {
		list = append(list, pl.Root)
		if filepath.Base(pl.Common) == ".git" {
			list = append(list, filepath.Dir(pl.Common))
		}
		links, _ := filepath.Glob(filepath.Join(quoteGlob(pl.Common), "worktrees", "*", "gitdir"))
		for _, link := range links {
			if dot, ok := git.Pointer(link, ""); ok {
				list = append(list, filepath.Dir(dot))
			}
		}
	}
	for _, d := range slices.Clone(list) {
		if real, err := filepath.EvalSymlinks(d); err == nil {
			list = append(list, real)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Branches tells of a name whether it is that of a branch of the repository of a folder,
// which is there or was; nil where the folder is in none.
func Branches(dir string) func(name string) bool {
	pl, ok := git.Locate(dir)
	if !ok || pl.Common == "" {
		return nil
	}
	packed, _ := os.ReadFile(filepath.Join(pl.Common, "packed-refs")) // where there is none, no ref is packed
	return func(name string) bool {
		if !filepath.IsLocal(name) {
			return false
		}
		for _, below := range []string{"refs/heads", "logs/refs/heads"} {
			if fi, err := os.Stat(filepath.Join(pl.Common, filepath.FromSlash(below), filepath.FromSlash(name))); err == nil && fi.Mode().IsRegular() {
				return true
			}
		}
		return strings.Contains(string(packed), " refs/heads/"+name+"\n")
	}
}

func quoteGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
