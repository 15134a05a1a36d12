package stored

import (
	"bufio"
	"bytes"
	"crypto/sha1" //nolint:gosec // the name of an object in git
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"

	"kedge"
)

// LFSFilter answers one git command that reads and writes files, as a long-running filter of it.
type LFSFilter struct {
	Store LFSStore
	Index string // the file of the index that git works with: what it holds unchanged stays so
	Wrote string // a file that gets the path of each file that is not what is committed; may be empty

	entries map[string]string
	out     *bufio.Writer
}

// maxPacket bounds the content of a packet.
const maxPacket = 65516

// Serve answers git until it ends.
func (f *LFSFilter) Serve(in io.Reader, out io.Writer) error {
	r := &packets{r: bufio.NewReader(in)}
	f.out = bufio.NewWriter(out)
	if err := f.greet(r); err != nil {
		return err
	}
	for {
		head, err := r.list()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f.one(head["command"], head["pathname"], r)
		}
		if err != nil {
			return err
		}
	}
}

func (f *LFSFilter) greet(r *packets) error {
	for _, answer := range [][]string{{"git-filter-server", "version=2"}, {"capability=clean", "capability=smudge"}} {
		if _, err := r.list(); err != nil {
			return err
		}
		if err := f.say(answer...); err != nil {
			return err
		}
	}
	return nil
}

// one filters one file. Its content is kept aside until all of it is there, for git reads no
// answer before.
func (f *LFSFilter) one(command, path string, r *packets) error {
	content, err := r.content()
	if err != nil {
		return err
	}
	defer content.drop()
	var to io.ReadCloser
	switch command {
	case "smudge":
		to, err = f.smudge(path, content)
	case "clean":
		to, err = f.clean(path, content)
	default:
		err = kedge.Errorf(kedge.Invalid, "Kedge's Git LFS filter does not support the command %q from git", command)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "kedge:", err)
		return f.say("status=error")
	}
	defer func() { _ = to.Close() }()
	if err := f.say("status=success"); err != nil {
		return err
	}
	return f.give(to)
}

// smudge is what stands in the file.
func (f *LFSFilter) smudge(path string, c *content) (io.ReadCloser, error) {
	p, is := pointerOf(c.head())
	if !is || c.size > maxPointer {
		return c.open()
	}
	object, err := f.Store.Open(p)
	if err != nil || object == nil {
		return orOpen(c, err)
	}
	if f.Wrote == "" {
		return object, nil
	}
	list, err := os.OpenFile(f.Wrote, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = list.WriteString(path + "\x00")
		err = errors.Join(err, list.Close())
	}
	if err != nil {
		return nil, errors.Join(err, object.Close())
	}
	return object, nil
}

func orOpen(c *content, err error) (io.ReadCloser, error) {
	if err != nil {
		return nil, err
	}
	return c.open()
}

// clean is what is committed.
func (f *LFSFilter) clean(path string, c *content) (io.ReadCloser, error) {
	if _, is := pointerOf(c.head()); is && c.size <= maxPointer || c.size == 0 {
		return c.open()
	}
	as, err := f.isIndexed(path, c)
	if err != nil || as {
		return orOpen(c, err)
	}
	in, err := c.open()
	if err != nil {
		return nil, err
	}
	p, err := f.Store.Keep(in)
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(p.Text())), nil
}

// isIndexed tells whether the index has this very content: it was committed without git-lfs,
// and is unchanged.
func (f *LFSFilter) isIndexed(path string, c *content) (bool, error) {
	if f.entries == nil {
		f.entries = map[string]string{}
		if b, err := os.ReadFile(f.Index); err == nil {
			for _, digits := range []int{sha1.Size * 2, sha256.Size * 2} {
				list, _ := Index(b, digits)
				for _, e := range list {
					f.entries[e.Path] = e.SHA
				}
			}
		}
	}
	sha := f.entries[path]
	var sum hash.Hash
	switch len(sha) {
	case sha1.Size * 2:
		sum = sha1.New() //nolint:gosec // as git
	case sha256.Size * 2:
		sum = sha256.New()
	default:
		return false, nil
	}
	in, err := c.open()
	if err != nil {
		return false, err
	}
	fmt.Fprintf(sum, "blob %d\x00", c.size)
	_, err = io.Copy(sum, in)
	return hex.EncodeToString(sum.Sum(nil)) == sha, errors.Join(err, in.Close())
}

// say sends lines and the end of a list.
func (f *LFSFilter) say(lines ...string) error {
	for _, line := range lines {
		if err := f.packet([]byte(line + "\n")); err != nil {
			return err
		}
	}
	if _, err := f.out.WriteString("0000"); err != nil {
		return err
	}
	return f.out.Flush()
}

// give sends a content, and that it is whole.
func (f *LFSFilter) give(in io.Reader) error {
	b := make([]byte, maxPacket)
	for {
		n, err := io.ReadFull(in, b)
		if n > 0 {
			if err := f.packet(b[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil { // half of a file: git takes none of it
			return errors.Join(f.say(), f.say("status=error"))
		}
	}
	return errors.Join(f.say(), f.say())
}

func (f *LFSFilter) packet(b []byte) error {
	if _, err := fmt.Fprintf(f.out, "%04x", len(b)+4); err != nil {
		return err
	}
	_, err := f.out.Write(b)
	return err
}

// LFSCommand is the filter as git starts it: a line for a shell.
func LFSCommand(program, store, wrote string) string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	return quote(program) + " lfs-filter " + quote(store) + " " + quote(wrote)
}
