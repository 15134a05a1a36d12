package history

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"kedge"
	"kedge/internal/insight/transcript"
)

// The index is a folder: segments, which do not change, and the manifest, which names them
// and says which of their messages are of which transcript. The manifest is replaced in one
// piece. What it does not name is left over and is removed.

// version is that of the format. Each has a folder of its own, so that an older and a newer
// Kedge do not rebuild each other's index.
const version = "v1"

const manifestName = "manifest"

// manifest is what the index has.
type manifest struct {
	segments []segmentFile
	files    []*source
}

// segmentFile is a segment on disk.
type segmentFile struct {
	name string
	size int64
	docs uint32
}

// source is a transcript, as far as it is in the index.
type source struct {
	Conversation
	stamp  string // by which a change is noticed
	end    int64  // bytes that were read, up to the end of a line
	open   bool   // the last line had no end: it may be longer now
	titled bool   // the title is what the program calls it
	head   uint32 // checksum of the first bytes
	tail   uint32 // checksum of the last bytes before end
	pieces []piece
}

// piece is a row of messages in a segment: all of one transcript.
type piece struct{ segment, first, n uint32 }

// key tells transcripts apart.
func key(f transcript.File) string { return f.Agent + "\x00" + f.Path + "\x00" + f.Session }

// writer puts values one behind the other.
type writer struct{ b []byte }

func (w *writer) num(n uint64)  { w.b = binary.AppendUvarint(w.b, n) }
func (w *writer) text(s string) { w.num(uint64(len(s))); w.b = append(w.b, s...) }
func (w *writer) yes(v bool) {
	if v {
		w.num(1)
	} else {
		w.num(0)
	}
}

func (w *writer) time(t time.Time) {
	if t.IsZero() {
		w.num(0)
		return
	}
	w.num(uint64(t.UnixMilli()))
}

// reader takes them again. What is not there is noticed once.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) num() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *reader) text() string {
	n := r.num()
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return ""
	}
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

func (r *reader) yes() bool { return r.num() == 1 }

func (r *reader) time() time.Time {
	if n := r.num(); n != 0 {
		return time.UnixMilli(int64(n)).UTC()
	}
	return time.Time{}
}

// count is a number of things that follow, each of at least one byte.
func (r *reader) count() int {
	n := r.num()
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return 0
	}
	return int(n)
}

func (m *manifest) encode() []byte {
	w := &writer{b: []byte(magic + version)}
	w.num(uint64(len(m.segments)))
	for _, s := range m.segments {
		w.text(s.name)
		w.num(uint64(s.size))
		w.num(uint64(s.docs))
	}
	w.num(uint64(len(m.files)))
	for _, f := range m.files {
		f.encode(w)
	}
	return binary.LittleEndian.AppendUint32(w.b, crc32.Checksum(w.b, castagnoli))
}

func (s *source) encode(w *writer) {
	for _, text := range []string{s.File.Agent, s.File.Path, s.File.Session, s.ID, s.Parent, s.Dir, s.Title, s.Why, s.stamp} {
		w.text(text)
	}
	w.yes(s.File.Side)
	w.yes(s.open)
	w.yes(s.titled)
	w.num(uint64(s.File.Size))
	w.num(uint64(s.end))
	w.num(uint64(s.head))
	w.num(uint64(s.tail))
	w.time(s.Began)
	w.time(s.Ended)
	w.num(uint64(len(s.pieces)))
	for _, p := range s.pieces {
		w.num(uint64(p.segment))
		w.num(uint64(p.first))
		w.num(uint64(p.n))
	}
}

// decodeManifest reads a manifest; an error says that it is none.
func decodeManifest(b []byte) (*manifest, error) {
	head := magic + version
	if len(b) < len(head)+4 || string(b[:len(head)]) != head {
		return nil, damaged(manifestName, "it is none of this version")
	}
	end := len(b) - 4
	if crc32.Checksum(b[:end], castagnoli) != binary.LittleEndian.Uint32(b[end:]) {
		return nil, damaged(manifestName, "its checksum is wrong")
	}
	r := &reader{b: b[len(head):end]}
	m := &manifest{}
	for n := r.count(); len(m.segments) < n && !r.bad; {
		m.segments = append(m.segments, segmentFile{name: r.text(), size: int64(r.num()), docs: uint32(r.num())})
	}
	for n := r.count(); len(m.files) < n && !r.bad; {
		m.files = append(m.files, decodeSource(r))
	}
	if r.bad || !m.fits() {
		return nil, damaged(manifestName, "its content is not what was written")
	}
	return m, nil
}

func decodeSource(r *reader) *source {
	f := &source{}
	for _, s := range []*string{&f.File.Agent, &f.File.Path, &f.File.Session, &f.ID, &f.Parent, &f.Dir, &f.Title, &f.Why, &f.stamp} {
		*s = r.text()
	}
	f.File.Side, f.open, f.titled = r.yes(), r.yes(), r.yes()
	f.File.Size, f.end, f.head, f.tail = int64(r.num()), int64(r.num()), uint32(r.num()), uint32(r.num())
	f.Began, f.Ended = r.time(), r.time()
	for n := r.count(); len(f.pieces) < n && !r.bad; {
		f.pieces = append(f.pieces, piece{uint32(r.num()), uint32(r.num()), uint32(r.num())})
	}
	return f
}

// fits tells whether every piece lies in a segment, and no segment's name leads elsewhere.
func (m *manifest) fits() bool {
	for _, s := range m.segments {
		if filepath.Base(s.name) != s.name || s.size < 0 {
			return false
		}
	}
	for _, f := range m.files {
		for _, p := range f.pieces {
			if int(p.segment) >= len(m.segments) || uint64(p.first)+uint64(p.n) > uint64(m.segments[p.segment].docs) {
				return false
			}
		}
	}
	return true
}

// folder is where this version keeps its index.
func (l *Library) folder() string {
	if l.Output {
		return filepath.Join(l.Dir, version+"-output")
	}
	return filepath.Join(l.Dir, version)
}

// load reads the manifest. Without one, or with one that is damaged, the index is empty.
func (l *Library) load() (*manifest, error) {
	b, err := os.ReadFile(filepath.Join(l.folder(), manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return &manifest{}, nil
	}
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot read the index of past conversations: %w", err).WithHint("%s", removing(l.Dir))
	}
	m, err := decodeManifest(b)
	if err != nil {
		return &manifest{}, nil //nolint:nilerr // what is damaged is made again
	}
	return m, nil
}

// removing is the step that begins a new index.
func removing(dir string) string { return kedge.Step("rm", "-r", dir).String() }

// store replaces the manifest and removes the segments that it does not name.
func (l *Library) store(m *manifest) error {
	path := filepath.Join(l.folder(), manifestName)
	if err := os.WriteFile(path+".new", m.encode(), 0o600); err != nil {
		return kept(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return kept(err)
	}
	l.sweep(m)
	return nil
}

// kept says that the index could not be written.
func kept(err error) error {
	return kedge.Errorf(kedge.Internal, "cannot write the index of past conversations: %w", &unkept{err})
}

// unkept is why the index could not be written.
type unkept struct{ error }

func (u *unkept) Unwrap() error { return u.error }

// Unkept tells whether an update failed because the index cannot be written where it is.
func Unkept(err error) bool {
	_, ok := errors.AsType[*unkept](err)
	_, path := errors.AsType[*fs.PathError](err)
	return ok || path
}

// sweep removes files that the manifest does not name.
func (l *Library) sweep(m *manifest) {
	names := map[string]bool{manifestName: true, lockName: true}
	for _, s := range m.segments {
		names[s.name] = true
	}
	entries, _ := os.ReadDir(l.folder()) // what is left over does no harm
	for _, e := range entries {
		if !names[e.Name()] {
			_ = os.Remove(filepath.Join(l.folder(), e.Name())) // likewise
		}
	}
}

// create makes the file of a new segment.
func (l *Library) create() (*os.File, error) {
	var id [8]byte
	_, _ = rand.Read(id[:]) // it never fails
	f, err := os.OpenFile(filepath.Join(l.folder(), "seg-"+hex.EncodeToString(id[:])), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, kept(err)
	}
	return f, nil
}
