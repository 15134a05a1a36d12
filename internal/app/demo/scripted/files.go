package scripted

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"kedge/internal/text/lazyre"
)

func (p *player) read(_ context.Context, a Action) *end {
	b, err := os.ReadFile(p.file(a.Path))
	if err != nil {
		return p.called("Read", a.Path, nil, err.Error(), true)
	}
	p.ctx.known[a.Path] = true
	return p.called("Read", a.Path, nil, string(b), false)
}

// knows reads a file that is not, or no longer, in the context.
func (p *player) knows(ctx context.Context, path string) *end {
	if _, err := os.Lstat(p.file(path)); err != nil || p.ctx.known[path] {
		return nil
	}
	return p.read(ctx, Action{Path: path})
}

func (p *player) write(_ context.Context, a Action) *end {
	return p.put("Write", a.Path, a.Text, a.Text)
}

func (p *player) appendTo(ctx context.Context, a Action) *end {
	if e := p.knows(ctx, a.Path); e != nil {
		return e
	}
	b, err := os.ReadFile(p.file(a.Path))
	if err != nil && !os.IsNotExist(err) {
		return p.called("Edit", a.Text, []string{a.Path}, err.Error(), true)
	}
	return p.put("Edit", a.Path, string(b)+a.Text, a.Text)
}

func (p *player) replace(ctx context.Context, a Action) *end {
	if e := p.knows(ctx, a.Path); e != nil {
		return e
	}
	b, err := os.ReadFile(p.file(a.Path))
	switch {
	case err != nil:
		return p.called("Edit", a.New, []string{a.Path}, err.Error(), true)
	case a.Old == "" || !strings.Contains(string(b), a.Old):
		return p.called("Edit", a.New, []string{a.Path}, "the text to replace is not there", true)
	}
	return p.put("Edit", a.Path, strings.Replace(string(b), a.Old, a.New, 1), a.New)
}

// put writes a file whole; input is what the model had to write for it.
func (p *player) put(tool, path, text, input string) *end {
	file := p.file(path)
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err == nil {
		err = os.WriteFile(file, []byte(text), mode(file))
	}
	if err != nil {
		return p.called(tool, path+"\n"+input, []string{path}, err.Error(), true)
	}
	p.ctx.known[path] = true
	return p.called(tool, path+"\n"+input, []string{path}, "written", false)
}

// mode is what the file has, so that a program stays one.
func mode(file string) os.FileMode {
	if fi, err := os.Stat(file); err == nil {
		return fi.Mode().Perm()
	}
	return 0o644
}

func (p *player) remove(_ context.Context, a Action) *end {
	if err := os.RemoveAll(p.file(a.Path)); err != nil {
		return p.called("Remove", a.Path, []string{a.Path}, err.Error(), true)
	}
	return p.called("Remove", a.Path, []string{a.Path}, "removed", false)
}

// weakenings make the tests of a file skip, by the end of its name.
var weakenings = []struct {
	suffix  string
	test    *lazyre.Regexp
	becomes string
}{
	{".go", lazyre.New(`(?m)^(func Test\w+\((\w+) \*testing\.T\) \{)`), "$1\n\t$2.Skip(\"later\")"},
	{".py", lazyre.New(`(?m)^(def test_\w+\(.*\):)`), "$1\n    return"},
	{".js", lazyre.New(`\b(it|test)\(`), "$1.skip("},
	{".ts", lazyre.New(`\b(it|test)\(`), "$1.skip("},
}

func (p *player) weaken(_ context.Context, a Action) *end {
	b, err := os.ReadFile(p.file(a.Path))
	if err != nil {
		return p.called("Edit", a.Path, []string{a.Path}, err.Error(), true)
	}
	text := string(b)
	for _, w := range weakenings {
		if strings.HasSuffix(a.Path, w.suffix) {
			text = w.test.ReplaceAllString(text, w.becomes)
		}
	}
	return p.put("Edit", a.Path, text, "skip the tests")
}

var anyStatus = lazyre.New(`"status": *"\w+"`)

// cheat edits what is Kedge's to write, or people's.
func (p *player) cheat(_ context.Context, a Action) *end {
	if a.What == "gate" {
		const easy = "version = 1\n[[check]]\nname = \"easy\"\nkind = \"test\"\nrun = \"true\"\n"
		return p.put("Write", ".kedge/gate.toml", easy, easy)
	}
	const path = ".kedge/features.json"
	b, err := os.ReadFile(p.file(path))
	if err != nil {
		return p.called("Edit", path, []string{path}, err.Error(), true)
	}
	text := anyStatus.ReplaceAllString(string(b), `"status": "completed"`)
	return p.put("Edit", path, text, "completed")
}
