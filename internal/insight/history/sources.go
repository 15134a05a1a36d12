package history

import (
	"context"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"kedge/internal/insight/transcript"
)

// listed is a transcript as it is on disk now.
type listed struct {
	file  transcript.File
	stamp string
	dir   string // where its session worked, where a database says it
}

// list finds the transcripts of every folder. Where looks for agents that keep theirs in the
// project also into the folders in which others worked.
func (l *Library) list(ctx context.Context, where transcript.Where, m *manifest) ([]listed, error) {
	where.All = true
	for _, f := range m.files {
		if f.Dir != "" && filepath.IsAbs(f.Dir) {
			where.Dirs = append(where.Dirs, f.Dir)
		}
	}
	slices.Sort(where.Dirs)
	where.Dirs = slices.Compact(where.Dirs)
	files, err := l.Formats.Find(ctx, where)
	if err != nil {
		return nil, err
	}
	known := m.byKey()
	out := make([]listed, 0, len(files))
	for i := 0; i < len(files); i++ {
		if files[i].Session == "" {
			if stamp := stampOf(files[i].Path); stamp != "" {
				out = append(out, listed{file: files[i], stamp: stamp})
			}
			continue
		}
		n := i + 1
		for n < len(files) && files[n].Path == files[i].Path && files[n].Agent == files[i].Agent {
			n++
		}
		out = append(out, l.sessions(ctx, files[i:n], known)...)
		i = n - 1
	}
	return out, nil
}

func (m *manifest) byKey() map[string]*source {
	known := make(map[string]*source, len(m.files))
	for _, f := range m.files {
		known[key(f.File)] = f
	}
	return known
}

// stampOf is what changes when a file does; empty where it is gone.
func stampOf(path string) string {
	fi, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return strconv.FormatInt(fi.Size(), 36) + "." + strconv.FormatInt(fi.ModTime().UnixNano(), 36)
}

// sessions stamps the sessions of a database. While its files are the same, nothing in it is
// looked at.
func (l *Library) sessions(ctx context.Context, files []transcript.File, known map[string]*source) []listed {
	whole := stampOf(files[0].Path) + "+" + stampOf(files[0].Path+"-wal") + " "
	out := make([]listed, 0, len(files))
	for _, f := range files {
		if old := known[key(f)]; old != nil && strings.HasPrefix(old.stamp, whole) {
			out = append(out, listed{f, old.stamp, old.Dir})
		}
	}
	db := l.Formats.Of(files[0].Agent).Database
	if len(out) == len(files) || db == nil || db.Stamps == nil {
		return out
	}
	stamped, err := db.Stamps(ctx, files[0].Path)
	if err != nil {
		return out
	}
	out = out[:0]
	for _, s := range stamped {
		f := transcript.File{Agent: files[0].Agent, Path: files[0].Path, Session: s.Session}
		out = append(out, listed{f, whole + s.Stamp, s.Dir})
	}
	return out
}

// job is a transcript that has to be read.
type job struct {
	listed
	old  *source // what is in the index of it, where the new lines only have to be added
	size int64
}

// compare says what is still true of the index, and what has to be read. Same tells that
// nothing has to be done.
func (l *Library) compare(m *manifest, now []listed) (keep []*source, jobs []job, same bool) {
	known := m.byKey()
	same = len(known) == len(now)
	for _, n := range now {
		old := known[key(n.file)]
		switch {
		case old != nil && old.stamp == n.stamp:
			keep = append(keep, old)
			continue
		case old != nil && n.file.Session != "" && inner(old.stamp) == inner(n.stamp): // another session of the database changed
			old.stamp = n.stamp
			keep = append(keep, old)
		case old != nil && l.grown(old, n):
			jobs = append(jobs, job{listed: n, old: old, size: n.file.Size - old.end})
		default:
			jobs = append(jobs, job{listed: n, size: n.file.Size})
		}
		same = false
	}
	return keep, jobs, same
}

// inner is the part of a stamp that is of the session, and not of its database.
func inner(stamp string) string {
	_, s, _ := strings.Cut(stamp, " ")
	return s
}

// grown tells whether lines were added behind those that are in the index, and these are
// still the same.
func (l *Library) grown(old *source, n listed) bool {
	if !l.Formats.Of(n.file.Agent).Added || strings.HasSuffix(n.file.Path, ".gz") || old.open || old.Why != "" || n.file.Size < old.end || old.end == 0 {
		return false
	}
	f, err := os.Open(n.file.Path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	head, tail, err := ends(f, old.end)
	return err == nil && head == old.head && tail == old.tail && n.file.Size > old.end
}

// looked is how many bytes at either end tell whether a transcript is still the same.
const looked = 512

// ends gives the checksums of the first bytes of a file, and of the last before a place.
func ends(r io.ReaderAt, end int64) (head, tail uint32, err error) {
	b := make([]byte, min(looked, end))
	if _, err := r.ReadAt(b, 0); err != nil {
		return 0, 0, err
	}
	head = crc32.Checksum(b, castagnoli)
	if _, err := r.ReadAt(b, end-int64(len(b))); err != nil {
		return 0, 0, err
	}
	return head, crc32.Checksum(b, castagnoli), nil
}
