package maintenance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/journal"
)

// RebuildRequest asks to rebuild all documents from the journal.
type RebuildRequest struct{}

// RebuildReply is the result. SHA256 is the hash of the sorted dump of all documents;
// Changed means that it was another one before.
type RebuildReply struct {
	Project   kedge.ProjectID      `json:"project"`
	Events    int64                `json:"events"`
	Documents int                  `json:"documents"`
	Changed   bool                 `json:"changed"`
	SHA256    string               `json:"sha256"`
	Edits     []kedge.HandEditData `json:"edits"`
	Warnings  []kedge.Finding      `json:"warnings,omitempty"` // files that could not be written
}

// Rebuild rebuilds all documents from the journal and writes the files in the
// repository. Like every writing command, it resolves hand edits first.
func (s *Maintenance) Rebuild(ctx context.Context, who projects.Caller, _ RebuildRequest) (RebuildReply, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return RebuildReply{}, err
	}
	before, err := dumpOf(ctx, p.Store)
	if err != nil {
		return RebuildReply{}, err
	}
	if err := p.Store.Rebuild(ctx); err != nil {
		return RebuildReply{}, err
	}
	after, err := dumpOf(ctx, p.Store)
	if err != nil {
		return RebuildReply{}, err
	}
	edits, err := s.ledger.LockAndResolveEdits(ctx, p, who)
	if err != nil {
		return RebuildReply{}, err
	}
	left, err := s.ledger.SyncFiles(ctx, p)
	if err != nil {
		return RebuildReply{}, err
	}
	r := RebuildReply{
		Project: p.ID, Documents: after.lines, SHA256: after.sum(), Changed: after.sum() != before.sum(),
		Edits: append([]kedge.HandEditData{}, edits...), Warnings: left,
	}
	r.Events, err = p.Store.Last(ctx)
	return r, err
}

// digest takes a dump in and keeps its hash and how many lines it has.
type digest struct {
	hash  [sha256.Size]byte
	text  []byte
	lines int
}

func dumpOf(ctx context.Context, st *journal.Store) (*digest, error) {
	d := &digest{}
	if err := st.Dump(ctx, d); err != nil {
		return nil, err
	}
	d.hash = sha256.Sum256(d.text)
	d.text = nil
	return d, nil
}

// Write implements io.Writer.
func (d *digest) Write(b []byte) (int, error) {
	d.text = append(d.text, b...)
	for _, c := range b {
		if c == '\n' {
			d.lines++
		}
	}
	return len(b), nil
}

func (d *digest) sum() string { return hex.EncodeToString(d.hash[:]) }

// BackupRequest asks for a copy of the project's journal. Path must not exist yet; empty
// stands for a folder in the state folder, named by the time.
type BackupRequest struct {
	Path string `json:"path,omitempty"`
}

// BackupReply says where the copy is.
type BackupReply struct {
	Project kedge.ProjectID `json:"project"`
	Path    string          `json:"path"`
	Events  int64           `json:"events"`
	Bytes   int64           `json:"bytes"`
}

// Backup copies the journal as it is at one moment, and checks the copy. It writes
// nothing else, so it works beside a daemon and without one.
func (s *Maintenance) Backup(ctx context.Context, who projects.Caller, in BackupRequest) (BackupReply, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return BackupReply{}, err
	}
	if in.Path == "" {
		dir := filepath.Join(s.home.Dir, "backups", string(p.ID))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return BackupReply{}, kedge.Errorf(kedge.Internal, "cannot make the folder for backups: %w", err)
		}
		in.Path = filepath.Join(dir, s.home.Now().Format("20060102T150405.000Z"))
	}
	if !filepath.IsAbs(in.Path) {
		return BackupReply{}, kedge.Errorf(kedge.Invalid, "the backup needs a folder with an absolute path, not %q", in.Path).WithHint("name such a folder: kedge backup /absolute/path")
	}
	if err := p.Store.Backup(ctx, in.Path); err != nil {
		return BackupReply{}, err
	}
	r := BackupReply{Project: p.ID, Path: in.Path, Bytes: folderSize(in.Path)}
	r.Events, err = lastEvent(ctx, in.Path)
	return r, err
}

// lastEvent is the number of the last event in a store that nobody else uses.
func lastEvent(ctx context.Context, dir string) (int64, error) {
	st, err := journal.Open(dir, journal.Options{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer func() { _ = st.Close() }() // nothing was written
	return st.Last(ctx)
}

// folderSize is how many bytes the files of a folder have; what cannot be read
// counts nothing.
func folderSize(dir string) int64 {
	var n int64
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // see above
		}
		if fi, err := d.Info(); err == nil && fi.Mode().IsRegular() {
			n += fi.Size()
		}
		return nil
	})
	return n
}
