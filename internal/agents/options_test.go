package agents_test

import (
	"slices"
	"strings"
	"testing"

	"kedge/internal/agents"
)

func TestCommandLineSplit(t *testing.T) {
	line := agents.CommandLine{
		Values: []string{"--mode", "--id", "-i"}, Maybe: []string{"--resume"}, Lists: []string{"--dirs"}, Flags: []string{"--verbose", "-c", "-p"},
		Talks: []string{"--resume", "--id", "-c"}, Asks: []string{"-i"}, Apart: []string{"-p"}, Commands: []string{"run", "serve"},
	}
	for _, c := range []struct{ args, options, talks, prompt, apart string }{
		{"", "", "", "", ""},
		{"--mode|plan", "--mode|plan", "", "", ""},
		{"--mode=plan|--verbose|fix", "--mode=plan|--verbose", "", "fix", ""},
		{"--verbose|fix it", "--verbose", "", "fix it", ""},
		{"--dirs|a|b|--verbose", "--dirs|a|b|--verbose", "", "", ""},
		{"--dirs|a|b", "--dirs|a|b", "", "", ""},
		{"--resume|--mode|x", "--mode|x", "--resume", "", ""},
		{"--resume|abc|more of it", "", "--resume|abc", "more of it", ""},
		{"--id=7|-c", "", "--id=7|-c", "", ""},
		{"-p|count the lines", "", "", "count the lines", "-p"},
		{"-i|count the lines|--mode|x", "--mode|x", "", "-i|count the lines", ""},
		{"--new-option|value", "--new-option|value", "", "", ""},
		{"--new-option|do all of it", "--new-option", "", "do all of it", ""},
		{"--mode", "--mode", "", "", ""},
		{"--verbose|--|--mode", "--verbose", "", "--|--mode", ""},
		{"-", "", "", "-", ""},
		{"run|fix it", "", "", "", "run|fix it"},
		{"--verbose|serve|--mode|x|-c", "--verbose", "", "", "serve|--mode|x|-c"},
		{"--mode|run|fix it", "--mode|run", "", "fix it", ""},
		{"fix it|run", "", "", "fix it|run", ""},
		{"run all the tests", "", "", "run all the tests", ""},
		{"--|run", "", "", "--|run", ""},
	} {
		got := line.Split(words(c.args))
		for name, of := range map[string]struct{ got, want []string }{
			"options": {got.Options, words(c.options)}, "talks": {got.Talks, words(c.talks)},
			"prompt": {got.Prompt, words(c.prompt)}, "apart": {got.Apart, words(c.apart)},
		} {
			if !slices.Equal(of.got, of.want) {
				t.Errorf("%s: %s %q, want %q", c.args, name, of.got, of.want)
			}
		}
	}
	if got := (agents.CommandLine{Files: true}).Split([]string{"a.go", "--x", "b"}); !slices.Equal(got.Options, []string{"a.go", "--x", "b"}) {
		t.Errorf("files are %+v", got)
	}
}

func words(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "|")
}

// No argument is lost or made up, whatever they are.
func FuzzCommandLineSplit(f *testing.F) {
	f.Add("--mode|plan|fix it|--|x")
	f.Add("-c|--dirs|a|b|--resume")
	f.Add("-c|run|--mode|x")
	f.Fuzz(func(t *testing.T, text string) {
		args := words(text)
		line := agents.CommandLine{Values: []string{"--mode"}, Maybe: []string{"--resume"}, Lists: []string{"--dirs"}, Flags: []string{"-c"}, Talks: []string{"-c"}, Commands: []string{"run"}}
		got := line.Split(args)
		all := slices.Concat(got.Options, got.Talks, got.Prompt, got.Apart)
		slices.Sort(all)
		slices.Sort(args)
		if !slices.Equal(all, args) {
			t.Errorf("%q became %+v", text, got)
		}
	})
}
