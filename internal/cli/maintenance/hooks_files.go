package maintenance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kedge"
	"kedge/internal/agents/hooks"
	"kedge/internal/cli/frame"
	"kedge/internal/git"
	"kedge/internal/process/atomicfile"
)

// hookPlace is the settings file of an agent that hooks stand in.
type hookPlace struct {
	agent hooks.Agent
	scope string // project or user
	file  string
	root  string // of the project; empty for a user's file
}

// hookPlaces are the files of an agent: where it has one that is not tracked, the
// project's, and the user's.
func hookPlaces(env *frame.Env, agent hooks.Agent) []hookPlace {
	in := agent.Settings
	user := filepath.Join(env.Getenv("HOME"), in.Folder)
	if dir := env.Getenv(in.Variable); dir != "" {
		user = dir
	}
	places := []hookPlace{{agent, "user", filepath.Join(user, filepath.FromSlash(in.File)), ""}}
	if in.Local == "" {
		return places
	}
	if pl, ok := git.Locate(env.Dir); ok {
		if _, err := git.ReadID(pl); err == nil {
			places = append([]hookPlace{{agent, "project", filepath.Join(pl.Root, filepath.FromSlash(in.Local)), pl.Root}}, places...)
		}
	}
	return places
}

// hookRecord is what was put into a file, so that exactly this comes out again. It
// holds nothing of the file but a status line that Kedge's stands around.
type hookRecord struct {
	Version  int         `json:"version"`
	File     string      `json:"file"`
	SHA256   string      `json:"sha256"` // of the file with it
	Created  bool        `json:"created"`
	Folder   bool        `json:"folder"` // it was made too
	Excluded bool        `json:"excluded"`
	Cuts     []hooks.Cut `json:"cuts"`
}

func textSum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

func (p hookPlace) recordFile(env *frame.Env) string {
	return filepath.Join(env.Home, "hooks", textSum(p.file)[:32]+".json")
}

// record is what is known of the file; the zero one where nothing is.
func (p hookPlace) record(env *frame.Env) hookRecord {
	var r hookRecord
	b, err := os.ReadFile(p.recordFile(env))
	if err != nil || json.Unmarshal(b, &r) != nil || r.File != p.file {
		return hookRecord{}
	}
	return r
}

func (p hookPlace) keepRecord(env *frame.Env, r hookRecord) error {
	r.Version, r.File = 1, p.file
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save which hooks Kedge installed in %q: %w", p.file, err)
	}
	if err := os.MkdirAll(filepath.Dir(p.recordFile(env)), 0o700); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save which hooks Kedge installed in %q: %w", p.file, err)
	}
	return atomicfile.Write(p.recordFile(env), append(b, '\n'), 0o600)
}

// read gives the text of the settings and where they really are: people keep such
// files elsewhere, with a link in their place.
func (p hookPlace) read() (text, target string, perm fs.FileMode, err error) {
	target = p.file
	if meant, err := filepath.EvalSymlinks(p.file); err == nil {
		target = meant
	}
	info, err := os.Stat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return "", target, 0o600, nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return "", target, 0, kedge.Errorf(kedge.Invalid, "the settings file %q is not a plain file", p.file).WithHint("see what it is: ls -ld %s", git.Quoted(p.file))
	}
	b, err := os.ReadFile(target)
	if err != nil {
		return "", target, 0, kedge.Errorf(kedge.Invalid, "cannot read the settings file %q: %w", p.file, err).WithHint("see who may read it: ls -l %s", git.Quoted(p.file))
	}
	return string(b), target, info.Mode().Perm(), nil
}

// bad is why a file stays as it is: what is wrong with it, and where.
func (p hookPlace) bad(verb string, err error) error {
	mend := "repair the file"
	if p.agent.Whole() {
		mend = "move the file away"
	}
	return kedge.Errorf(kedge.Invalid, "Kedge cannot use the settings file %q: %w", p.file, err).WithHint("%s, then: kedge hooks %s %s", mend, verb, p.agent.Name)
}

// wish is what is to stand in the file. The status line that is in force
// elsewhere is shown before Kedge's: this file would hide it.
func (p hookPlace) wish(env *frame.Env, program string) hooks.Wish {
	w := hooks.Wish{Program: program, Home: otherHome(env)}
	if p.scope != "project" {
		return w
	}
	for _, q := range append([]hookPlace{{agent: p.agent, file: filepath.Join(p.root, filepath.FromSlash(p.agent.Settings.Shared))}}, hookPlaces(env, p.agent)[1:]...) {
		if text, _, _, err := q.read(); err == nil && w.Status == "" {
			w.Status = p.agent.StatusCommand(text)
		}
	}
	return w
}

// otherHome is the state folder, where agents would not find it by themselves; empty
// for the usual one.
func otherHome(env *frame.Env) string {
	if env.Home == filepath.Join(env.Getenv("HOME"), ".local", "state", "kedge") {
		return ""
	}
	return env.Home
}

// install puts the hooks in, and says what it did.
func (p hookPlace) install(ctx context.Context, env *frame.Env, program string) (string, error) {
	text, target, perm, err := p.read()
	if err != nil {
		return "", err
	}
	was := p.record(env)
	w := p.wish(env, program)
	state, err := p.agent.Look(text, w)
	if err != nil {
		return "", p.bad("install", err)
	}
	if state == hooks.Present {
		return "unchanged", nil
	}
	r := hookRecord{Created: text == "", Folder: !isDir(filepath.Dir(target))}
	base := text
	if was.SHA256 == textSum(text) {
		if undone, ok := hooks.Undo(text, was.Cuts); ok {
			base, r.Created, r.Folder, r.Excluded = undone, was.Created, was.Folder, was.Excluded
		}
	}
	ch, err := p.agent.Insert(base, w)
	if err != nil {
		return "", p.bad("install", err)
	}
	r.SHA256, r.Cuts = textSum(ch.Text), ch.Cuts
	if p.root != "" && !r.Excluded {
		r.Excluded = exclude(ctx, p.root, p.agent.Settings.Local)
	}
	if err := p.keepRecord(env, r); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return "", kedge.Errorf(kedge.Invalid, "cannot make the folder %q: %w", filepath.Dir(target), err).WithHint("make it yourself: mkdir -p %s", git.Quoted(filepath.Dir(target)))
	}
	if err := atomicfile.Write(target, []byte(ch.Text), perm); err != nil {
		return "", err
	}
	if state == hooks.Differs {
		return "updated", nil
	}
	return "installed", nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// exclude keeps the file out of what git shows; a folder without git has no need.
func exclude(ctx context.Context, root, file string) bool {
	repo, err := git.Open(ctx, root, git.Options{Now: time.Now})
	if err != nil {
		return false
	}
	done, err := repo.Exclude(ctx, file)
	return done && err == nil
}

// remove takes the hooks out, and says what it did: where nobody changed the file
// since, it is what it was, byte for byte.
func (p hookPlace) remove(ctx context.Context, env *frame.Env) (string, error) {
	text, target, perm, err := p.read()
	if err != nil {
		return "", err
	}
	was := p.record(env)
	after, exact := "", false
	if was.SHA256 == textSum(text) {
		after, exact = hooks.Undo(text, was.Cuts)
	}
	if !exact {
		if after, err = p.agent.Remove(text); err != nil {
			return "", p.bad("remove", err)
		}
	}
	if after == text {
		return "absent", p.forget(ctx, env, was)
	}
	if (was.Created || p.agent.Whole()) && strings.Trim(after, "{} \t\r\n") == "" {
		err = os.Remove(target)
		if err == nil && was.Folder {
			_ = os.Remove(filepath.Dir(target)) // somebody else's files keep it
		}
	} else {
		err = atomicfile.Write(target, []byte(after), perm)
	}
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot write the settings file %q: %w", p.file, err)
	}
	return "removed", p.forget(ctx, env, was)
}

// forget takes away what was kept about the file.
func (p hookPlace) forget(ctx context.Context, env *frame.Env, was hookRecord) error {
	if was.Excluded && p.root != "" {
		if repo, err := git.Open(ctx, p.root, git.Options{Now: time.Now}); err == nil {
			if err := repo.Include(ctx, p.agent.Settings.Local); err != nil {
				return err
			}
		}
	}
	if err := os.Remove(p.recordFile(env)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return kedge.Errorf(kedge.Internal, "the hooks in %q are removed, but Kedge cannot delete its own list of them: %w", p.file, err)
	}
	return nil
}
