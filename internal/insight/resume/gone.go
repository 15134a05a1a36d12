package resume

import (
	"path"
	"slices"
	"strings"

	"kedge/internal/core/check"
	"kedge/internal/text/lazyre"
	"kedge/internal/text/words"
)

// missing is how a program says that there is no such file.
var missing = lazyre.New("([^\\s:'\"`‘’]+)['\"’]?: No such file or directory|cannot (?:access|stat|open) ['\"‘]([^'\"’]+)['\"’]|ENOENT[^'\"\\n]*['\"]([^'\"\\n]+)['\"]")

// removed takes a command that worked: what it removed or moved away is no longer needed.
func (p *Picker) removed(command string) {
	if !strings.Contains(command, "rm") && !strings.Contains(command, "mv") && !strings.Contains(command, "unlink") {
		return
	}
	check.EachStatement(command, p.files.base, func(at check.Place, words []string) {
		_, words = check.Taken(words)
		if len(words) > 1 && words[0] == "git" && (words[1] == "rm" || words[1] == "mv") {
			if slices.Contains(words, "--cached") {
				return
			}
			words = words[1:]
		}
		var args []string
		for _, w := range words[1:] {
			if !strings.HasPrefix(w, "-") && !strings.ContainsAny(w, "$`{") {
				args = append(args, w)
			}
		}
		switch words[0] {
		case "rm", "unlink", "rmdir", "trash":
			for _, w := range args {
				p.files.lose(at, w)
			}
		case "mv":
			p.moved(at, args)
		}
	})
}

// moved takes what was moved, the last to where.
func (p *Picker) moved(at check.Place, args []string) {
	if len(args) < 2 {
		return
	}
	to := args[len(args)-1]
	for _, from := range args[:len(args)-1] {
		lost := p.files.lose(at, from)
		if len(args) == 2 && words.NamesFile(to) && lost > 0 {
			p.alsoEdits(strings.TrimPrefix(to, "./"))
		}
	}
}

// lose says that a file is gone, or all in a folder, or all that a pattern names; it gives
// how many these were.
func (t *files) lose(at check.Place, word string) int {
	word = strings.TrimRight(strings.TrimPrefix(slashed(word), "./"), "/")
	if word == "" || word == "." || word == "*" {
		return 0
	}
	whole := word
	if !check.Rooted(word) {
		whole = path.Join(firstOf(at.Repo, t.base), at.Sub, word)
	}
	n := 0
	for _, f := range t.list {
		key := f.key
		if !check.Rooted(key) && check.Rooted(whole) {
			key = within(t.base, key)
		}
		match, _ := path.Match(whole, key) // of another form: no match
		if key == whole || match || strings.HasPrefix(key, whole+"/") || f.key == word || strings.HasPrefix(f.key, word+"/") {
			f.gone, f.dirty = true, false
			n++
		}
	}
	return n
}

// notFound takes an output: files that it says are not there are gone, where no other is
// meant.
func (t *files) notFound(out string) {
	if !strings.Contains(out, "o such file") && !strings.Contains(out, "cannot ") && !strings.Contains(out, "ENOENT") {
		return
	}
	for _, m := range missing.FindAllStringSubmatch(out[:min(len(out), 2*maxOutput)], 20) {
		for _, word := range m[1:] {
			if word == "" {
				continue
			}
			if f := t.byKey[strings.TrimPrefix(slashed(word), "./")]; f != nil {
				f.gone = true
			}
		}
	}
}
