package ledger

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"kedge/internal/app/projects"
	docs "kedge/internal/core/memory"
)

// dropOurs leaves out files with a text that Kedge wrote at some time: they are
// outdated, as after a change of branch, or newer than what the caller has read. It asks
// for the hashes after the files were read, because Kedge remembers a text before it
// writes it.
func (s *Ledger) dropOurs(p *projects.Project, files map[string][]memoryFile) {
	known := s.Projected(p)
	for dir := range files {
		files[dir] = slices.DeleteFunc(files[dir], func(f memoryFile) bool { return known[projects.Sum(f.text)] })
	}
}

// memoryFile is a document whose text is not the one that the journal gives.
type memoryFile struct {
	path string
	text []byte
	ours bool // a file of this name is in the journal
}

// memoryFiles reads the documents, by folder, and leaves out those that have the right
// text.
func memoryFiles(p *projects.Project, m Memory) map[string][]memoryFile {
	want, out := m.files(), map[string][]memoryFile{}
	var paths []string
	for _, dir := range []string{DecisionsDir, NotesDir} {
		names, err := p.List(dir)
		if err != nil {
			continue // the doctor tells it, and whoever writes there
		}
		for _, name := range names {
			if strings.HasSuffix(name, ".md") {
				paths = append(paths, dir+"/"+name)
			}
		}
	}
	for _, name := range append(paths, RisksFile) {
		b, ok, err := p.Read(name)
		if err != nil {
			continue
		}
		text, ours := want[name]
		if ok && !(ours && SameText(b, text)) {
			out[path.Dir(name)] = append(out[path.Dir(name)], memoryFile{name, ToLF(b), ours})
		}
	}
	return out
}

// removeCopies removes documents that say exactly what the journal says, under another
// name: a changed title leaves them behind.
func removeCopies(p *projects.Project, m Memory, want map[string][]byte) error {
	for _, dir := range []string{DecisionsDir, NotesDir} {
		names, err := p.List(dir)
		if err != nil {
			return err
		}
		for _, name := range names {
			file := dir + "/" + name
			if _, ours := want[file]; ours {
				continue
			}
			b, _, err := p.Read(file)
			if err != nil {
				return err
			}
			if m.isCopy(file, ToLF(b)) {
				if err := p.Remove(file); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (m Memory) isCopy(file string, b []byte) bool {
	if d, err := docs.ParseDecision(file, b); err == nil {
		want, ok := m.Decision(d.ID)
		return ok && sameDecision(d, want)
	}
	n, err := docs.ParseNote(file, b)
	want, ok := m.Note(n.ID)
	return err == nil && ok && reflect.DeepEqual(n, want)
}
