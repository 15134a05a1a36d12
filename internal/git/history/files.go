package history

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/git/hardened"
	"kedge/internal/git/stored"
)

// File is a file that one tree has and another has not, or has otherwise. The modes are
// those of git: 100644, 100755 (it can be executed), 120000 (a link), 160000 (a submodule).
type File struct {
	Path string
	Mode string
	Was  string // the mode of the path before; empty: there was nothing
	Had  string // the mode under which the same content was there before, at any path; empty: it is new
	Size int64
	Head []byte // its first HeadBytes; of a link, where it leads; of a submodule, nothing
}

// HeadBytes is how much of a File's content is read.
const HeadBytes = 64 << 10

// Files lists the files that to adds to from or changes there, by path. What was deleted
// is not among them.
func (r *Repo) Files(ctx context.Context, from, to string) ([]File, error) {
	records, err := r.diffTree(ctx, from, to)
	if err != nil {
		return nil, err
	}
	out, shas := parseFiles(records)
	if len(out) == 0 {
		return nil, nil
	}
	had, err := r.modesOf(ctx, from)
	if err != nil {
		return nil, err
	}
	for i := range out {
		out[i].Had = had[shas[i]]
	}
	return out, r.readHeads(ctx, out, shas)
}

// parseFiles reads the records ":mode mode sha sha status", path.
func parseFiles(in []string) (out []File, shas []string) {
	for i := 0; i+1 < len(in); i++ {
		if !strings.HasPrefix(in[i], ":") {
			continue
		}
		f := strings.Fields(in[i][1:])
		i++
		if len(f) != 5 || f[4] == "D" {
			continue
		}
		file := File{Path: in[i], Mode: f[1], Was: f[0]}
		if strings.Trim(file.Was, "0") == "" {
			file.Was = ""
		}
		out, shas = append(out, file), append(shas, f[3])
	}
	return out, shas
}

// modesOf gives for each blob of a revision the mode that it has there; where it has
// several, that of a file that can be executed.
func (r *Repo) modesOf(ctx context.Context, rev string) (map[string]string, error) {
	list, err := r.List(ctx, rev, "")
	out := make(map[string]string, len(list))
	for _, e := range list {
		if e.Type == "blob" && out[e.SHA] != "100755" {
			out[e.SHA] = e.Mode
		}
	}
	return out, err
}

// readHeads fills in sizes and beginnings: from the files that git has just written, else
// from git itself.
func (r *Repo) readHeads(ctx context.Context, files []File, shas []string) error {
	var left []int
	for i := range files {
		if files[i].Mode == "160000" {
			continue
		}
		head, size, ok := stored.Head(filepath.Join(r.g.CommonDir(), "objects"), shas[i], HeadBytes)
		if files[i].Head, files[i].Size = head, size; !ok {
			left = append(left, i)
		}
	}
	for some := range slices.Chunk(left, 1000) {
		if err := r.askHeads(ctx, files, shas, some); err != nil {
			return err
		}
	}
	return nil
}

// maxAsked bounds a blob whose content git is asked for: of a bigger one only the size is known.
const maxAsked = 256 << 20

// askHeads asks git for the sizes of some files, and for the content of those that are not big.
func (r *Repo) askHeads(ctx context.Context, files []File, shas []string, some []int) error {
	var names bytes.Buffer
	for _, i := range some {
		names.WriteString(shas[i] + "\n")
	}
	out, err := r.g.Run(ctx, hardened.Call{Args: []string{"cat-file", "--batch-check=%(objectsize)"}, Stdin: names.Bytes()})
	if err != nil {
		return err
	}
	sizes := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(sizes) != len(some) {
		return kedge.Errorf(kedge.Internal, "Kedge asked git for the sizes of %[2]d files, and git answered with %[1]d sizes", len(sizes), len(some))
	}
	for n, i := range some {
		if files[i].Size, err = strconv.ParseInt(sizes[n], 10, 64); err != nil {
			return kedge.Errorf(kedge.NotFound, "the repository lacks the content of the file %q: git answered %q", files[i].Path, sizes[n]).WithHint("see what the repository lacks: git fsck")
		}
		if files[i].Size > maxAsked {
			continue
		}
		body, err := r.g.Do(ctx, "cat-file", "blob", shas[i])
		if err != nil {
			return err
		}
		files[i].Head = slices.Clone(body[:min(len(body), HeadBytes)])
	}
	return nil
}
