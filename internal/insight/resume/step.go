package resume

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/failure"
	"kedge/internal/text/lazyre"
	"kedge/internal/text/words"
)

// step is where the work stood: the last that was said, done and run.
type step struct {
	told    said   // the last that the user said
	acted   bool   // a call was made since
	spoke   bool   // the model said something since
	text    remark // the last that the model said to the user
	thought remark // and to itself; both empty once a call was made and answered
	call    *call  // the last call
	same    int    // how many times in a row it was made
	done    bool   // it has its result
	failed  bool
	result  string  // of a call that failed
	refused *string // what the user said while refusing it; nil: they did not
	command *command
	check   *command // the last one that builds, tests or checks
	commit  string   // subject of the last commit
	after   string   // the next step by a compaction's summary, while nothing was done since

	report remark // what the model reported before the user spoke last
	pushed bool   // the last commit was pushed

	recorded string // the last step of the work that the session told of
}

// command is a shell command and what came of it.
type command struct {
	call   *call
	done   bool
	failed bool
	output string
}

// maxOutput bounds what is kept of a command's output: its beginning and its end.
const maxOutput = 16 << 10

func (s *step) said(line int, text string) {
	if text = strings.TrimSpace(text); text != "" {
		s.text, s.spoke = remark{line: line, text: text}, true
	}
}

func (s *step) thoughtOf(line int, text string) { s.thought = remark{line: line, text: text} }

// heard takes what the user said. A summary in its place stands for what was
// said before; of it only the next step is taken, until something is done.
func (s *step) heard(x said, n int) {
	if x.kind == saidSummary {
		s.after = firstLines(section(x.text, "Next Step"), 2)
		return
	}
	s.reported(x, n)
	s.told, s.acted, s.spoke = x, false, false
	s.text, s.thought = remark{}, remark{}
}

func (s *step) called(c *call) {
	if s.same++; s.call == nil || s.call.describe() != c.describe() || s.call.sum != c.sum {
		s.same = 1
	}
	s.call, s.done, s.failed, s.result, s.refused, s.acted = c, false, false, "", nil, true
	s.after = ""
	if c.act == audit.Shell {
		s.command = &command{call: c}
	}
}

func (s *step) answered(c *call, e *audit.Entry) {
	if ran := check.Checks(c.command) && !strings.HasPrefix(e.Text, refusal) && !strings.HasPrefix(e.Text, background); ran && c.act == audit.Shell {
		s.check = &command{call: c, done: true, failed: e.Failed || red(c.command, e.Text), output: bothEnds(e.Text, maxOutput)}
	}
	if s.command != nil && s.command.call == c {
		s.command.done, s.command.failed = true, e.Failed || red(c.command, e.Text)
		s.command.output = bothEnds(e.Text, maxOutput)
		if strings.HasPrefix(e.Text, refusal) {
			s.command.failed, s.command.output = false, "refused by the user: "+wordsOfRefusal(e)
		}
	}
	if s.call != c {
		return
	}
	s.done, s.failed, s.text, s.thought = true, e.Failed, remark{}, remark{}
	if e.Failed {
		s.result = bothEnds(e.Text, maxOutput)
	}
	if strings.HasPrefix(e.Text, refusal) {
		words := wordsOfRefusal(e)
		s.refused = &words
	}
}

// background is how Claude Code says that a command goes on while the model does.
const background = "Command running in background"

// shown gives the command that says most of the work: the last check, where all that came
// after it looked, moved files, or runs on unseen.
func (s *step) shown() *command {
	if c := s.command; c != nil && s.check != nil && (check.Looks(c.call.command) || strings.HasPrefix(c.output, background)) {
		return s.check
	}
	return s.command
}

// editedAfter gives the files of the work that were edited after a check and not checked
// since, in one line.
func (p *Picker) editedAfter(c *command) string {
	if c == nil || !check.Checks(c.call.command) {
		return ""
	}
	return p.editedSince(c.call.n, "edited after it, not run again: ")
}

// editedSince names the files of the work that were edited after action n, the newest
// first; empty where there are none.
func (p *Picker) editedSince(n int, lead string) string {
	const most = 5
	list := slices.DeleteFunc(slices.Clone(p.files.list), func(f *file) bool { return f.gone || f.lastAt[actEdit] <= n || !p.files.ofWork(f.key) })
	slices.SortStableFunc(list, func(a, b *file) int { return b.lastAt[actEdit] - a.lastAt[actEdit] })
	var names []string
	for _, f := range list {
		names = append(names, baseOf(f.path))
	}
	if len(names) == 0 {
		return ""
	}
	return lead + words.Some(names, most)
}

// bothEnds gives a text with its middle left out where it is longer than n bytes.
func bothEnds(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n/2], "") + "\n…\n" + strings.ToValidUTF8(s[len(s)-n/2:], "")
}

// redWords are how the output of something that failed has lines begin.
var redWords = []string{"--- FAIL", "FAIL\t", "FAIL ", "panic: ", "error: ", "Error: ", "ERROR ", "# command-line", "Traceback (most", "fatal: ", "make: *** "}

// red tells whether an output is one of a failure, where the exit code got lost:
// in a pipe, for example.
func red(command, out string) bool {
	checks := hasAny(command, check.KindWords) && !hasAny(command, []string{"grep", "rg ", "cat ", "git "})
	for l := range strings.Lines(out) {
		l = unlabelled(strings.TrimLeft(l, " \t"))
		if beginsAny(l, redWords) || checks && located.MatchString(l) {
			return true
		}
	}
	return false
}

// stillRed tells whether the command is one that builds, tests or checks, and failed.
func (c *command) stillRed() bool { return c != nil && c.failed && check.Checks(c.call.command) }

// located is a finding of a compiler or a linter: path:line:column: text.
var located = lazyre.New(`^[^\s:]+\.\w+:\d+:\d+: \S`)

// unlabelled takes the label of a task runner off a line: "[lint:go] oops".
func unlabelled(l string) string {
	if label, rest, ok := strings.Cut(l, "] "); ok && strings.HasPrefix(label, "[") && len(label) < 24 && !strings.Contains(label, " ") {
		return rest
	}
	return l
}

// describe is a call in a few words.
func (c *call) describe() string {
	switch {
	case c.command != "":
		return c.tool + ": " + cut(strings.Join(strings.Fields(c.command), " "), 160)
	case c.path != "":
		return c.tool + " " + c.path
	default:
		return strings.TrimSpace(c.tool + " " + c.about)
	}
}

// purpose is what an input says it is for.
func purpose(input string) string {
	var in struct {
		Description string `json:"description"`
		Pattern     string `json:"pattern"`
		Query       string `json:"query"`
		URL         string `json:"url"`
		Skill       string `json:"skill"`
		Questions   []struct {
			Question string `json:"question"`
		} `json:"questions"`
	}
	_ = json.Unmarshal([]byte(input), &in) // of another form: nothing
	for _, s := range []string{in.Description, in.Pattern, in.Query, in.URL, in.Skill} {
		if s != "" {
			return cut(strings.Join(strings.Fields(s), " "), 120)
		}
	}
	var list []string
	for _, q := range in.Questions {
		list = append(list, q.Question)
	}
	return cut(strings.Join(list, " "), 240)
}

// outcome says in short how a command ended.
func (c *command) outcome() string {
	switch {
	case !c.done:
		return "no result yet"
	case !c.failed:
		return lastLines(c.output, "ok, no output")
	}
	if f, ok := failure.First(c.call.command, c.output); ok {
		parts := []string{"failed:", f.Test, place(f), firstLines(f.Message, 4)}
		return cut(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " "), 500)
	}
	return "failed: " + lastLines(c.output, "no output")
}

// place is where a failure is, unless its message says so.
func place(f kedge.Failure) string {
	switch {
	case f.File == "" || strings.Contains(f.Message, f.File):
		return ""
	case f.Line == 0:
		return f.File
	default:
		return f.File + ":" + strconv.Itoa(f.Line)
	}
}

// lastLines gives the end of an output, by whole lines.
func lastLines(out, none string) string {
	const most, room = 5, 360
	var list []string
	size := 0
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i := len(lines) - 1; i >= 0 && len(list) < most; i-- {
		l := cut(strings.TrimSpace(lines[i]), 160)
		if l == "" {
			continue
		}
		if size += len(l); size > room {
			break
		}
		list = append([]string{l}, list...)
	}
	if len(list) == 0 {
		return none
	}
	return strings.Join(list, "\n")
}

func firstLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[:min(n, len(lines))], "\n")
}
