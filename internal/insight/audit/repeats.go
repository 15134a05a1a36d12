package audit

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"
	"unicode/utf8"

	"kedge/internal/insight/failure"
)

// FileUse is what was done with one file, in a session or in many.
type FileUse struct {
	Path         string `json:"path"`
	Sessions     int    `json:"sessions"` // that read or edited it
	Reads        int64  `json:"reads"`
	Rereads      int64  `json:"rereads"` // by a session that had read it before
	Chars        int64  `json:"chars"`   // that its reads put into contexts
	RereadChars  int64  `json:"reread_chars"`
	StaleChars   int64  `json:"stale_chars"` // of its reads, what an edit made out of date
	Edits        int64  `json:"edits"`
	CarriedChars int64  `json:"carried_chars"` // chars, each counted once for every reply that was given it
}

func (u *FileUse) add(v FileUse) {
	u.Sessions += v.Sessions
	u.Reads += v.Reads
	u.Rereads += v.Rereads
	u.Chars += v.Chars
	u.RereadChars += v.RereadChars
	u.StaleChars += v.StaleChars
	u.Edits += v.Edits
	u.CarriedChars += v.CarriedChars
}

// CommandUse is what was done with one command, in a session or in many.
type CommandUse struct {
	Command       string `json:"command"` // its beginning, where it is long
	Sessions      int    `json:"sessions"`
	Runs          int64  `json:"runs"`
	Repeats       int64  `json:"repeats"` // in a session that had run it before
	Failed        int64  `json:"failed"`
	SameWay       int64  `json:"failed_same_way"` // the most that failed in one and the same way; 0: no two did
	Chars         int64  `json:"chars"`           // that its results put into contexts
	RepeatedChars int64  `json:"repeated_chars"`  // of these, those of repeats
	CarriedChars  int64  `json:"carried_chars"`   // chars, each counted once for every reply that was given it

	ways map[uint64]int64 // failures by what they said
}

// add adds the uses of the same command. The ways to fail are the receiver's own map.
func (u *CommandUse) add(v CommandUse) {
	u.Sessions += v.Sessions
	u.Runs += v.Runs
	u.Repeats += v.Repeats
	u.Failed += v.Failed
	u.Chars += v.Chars
	u.RepeatedChars += v.RepeatedChars
	u.CarriedChars += v.CarriedChars
	for way, n := range v.ways {
		u.failed(way, n)
	}
}

// failed counts failures of one way.
func (u *CommandUse) failed(way uint64, n int64) {
	if u.ways == nil {
		u.ways = map[uint64]int64{}
	}
	if _, known := u.ways[way]; !known && len(u.ways) >= mostWays {
		return
	}
	u.ways[way] += n
	if u.ways[way] > 1 {
		u.SameWay = max(u.SameWay, u.ways[way])
	}
}

const (
	mostWays    = 64  // of a command to fail, that are told apart
	commandSize = 300 // bytes that are kept of a command
)

// ranCommand gives the uses of a command.
func (c *Counter) ranCommand(command string) *CommandUse {
	h := c.hash(command)
	u := c.ran[h]
	if u == nil {
		u = &CommandUse{Command: c.names.once(head(command, commandSize)), Sessions: 1}
		c.ran[h] = u
	}
	return u
}

// commandResult counts what a command gave.
func (c *Counter) commandResult(k call, e *Entry) {
	u, n := k.command, int64(e.Chars)
	u.Chars += n
	u.RepeatedChars += n * one(k.again)
	if e.Failed {
		u.Failed++
		if e.Text != "" {
			u.failed(way(u.Command, e.Text), 1)
		}
	}
}

// head is the beginning of a text, of at most so many bytes.
func head(s string, most int) string {
	s = strings.TrimSpace(s)
	if len(s) > most {
		for most > 0 && !utf8.RuneStart(s[most]) {
			most--
		}
		s = s[:most] + "…"
	}
	return s
}

// way tells failures of a command apart: by the first failure in the output, else by the
// output. Numbers do not count: times, process ids and addresses differ every time.
func way(command, out string) uint64 {
	const most = 32 << 10
	if len(out) > most {
		out = out[:most/2] + "\n" + out[len(out)-most/2:]
	}
	if f, ok := failure.First(command, out); ok {
		out = f.Test + "\n" + f.File + "\n" + f.Message
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.Map(func(r rune) rune { // a hash never fails
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, out)))
	return h.Sum64()
}

// fileUses lists what was done with each file, by path.
func (c *Counter) fileUses() []FileUse {
	var out []FileUse
	for path, f := range c.files {
		if path != "" && f.use != (FileUse{}) {
			u := f.use
			u.Path, u.Sessions = c.names.once(path), 1
			out = append(out, u)
		}
	}
	slices.SortFunc(out, func(a, b FileUse) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// commandUses lists what was done with each command, in order.
func (c *Counter) commandUses() []CommandUse {
	var out []CommandUse
	for _, u := range c.ran {
		v := *u
		v.ways = nil
		v.add(CommandUse{ways: u.ways})
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b CommandUse) int {
		return cmp.Or(strings.Compare(a.Command, b.Command), cmp.Compare(b.Chars, a.Chars))
	})
	return out
}

// ReadAgain are the files that sessions read again, those first that filled contexts most
// by it, at most so many. Name gives the name of a file in the project.
func ReadAgain(list []Figures, name func(f *Figures, path string) string, most int) []FileUse {
	out := []FileUse{}
	for _, g := range byFile(list, name) {
		if g.File.Rereads > 0 {
			out = append(out, *g.File)
		}
	}
	slices.SortFunc(out, func(a, b FileUse) int {
		return cmp.Or(cmp.Compare(b.RereadChars, a.RereadChars), cmp.Compare(b.Rereads, a.Rereads), strings.Compare(a.Path, b.Path))
	})
	return firstOf(out, most)
}

// RunAgain are the commands that sessions ran again, those first that filled contexts most
// by it, at most so many.
func RunAgain(list []Figures, most int) []CommandUse {
	sums := map[string]*CommandUse{}
	for _, f := range list {
		for _, u := range f.Ran {
			if sums[u.Command] == nil {
				sums[u.Command] = &CommandUse{Command: u.Command}
			}
			sums[u.Command].add(u)
		}
	}
	out := []CommandUse{}
	for _, u := range sums {
		if u.Repeats > 0 {
			out = append(out, *u)
		}
	}
	slices.SortFunc(out, func(a, b CommandUse) int {
		return cmp.Or(cmp.Compare(b.RepeatedChars, a.RepeatedChars), cmp.Compare(b.Repeats, a.Repeats), strings.Compare(a.Command, b.Command))
	})
	return firstOf(out, most)
}

// firstOf gives the first of a list, without the room of the others: every session has one.
func firstOf[T any](list []T, most int) []T {
	return append([]T{}, list[:min(most, len(list))]...)
}

// What Filling calls reads of files and runs of commands, whatever the agent's tools are called.
const (
	ReadTool = "read"
	RunTool  = "run"
)

// Filling is what results of one name put into a context.
type Filling struct {
	Tool         string `json:"tool"` // ReadTool, RunTool, or the name of any other tool
	Name         string `json:"name"` // of the file or the command; empty: of the tool, whatever it was asked
	Times        int64  `json:"times"`
	Chars        int64  `json:"chars"`
	CarriedChars int64  `json:"carried_chars"` // chars, each counted once for every reply that was given it
}

// Largest are the names whose results filled the context of a session most, at most so
// many. Tools that read no file and run no command stand for themselves.
func Largest(f *Figures, most int) []Filling {
	out := []Filling{}
	for _, u := range f.Files {
		out = append(out, Filling{Tool: ReadTool, Name: u.Path, Times: u.Reads, Chars: u.Chars, CarriedChars: u.CarriedChars})
	}
	for _, u := range f.Ran {
		out = append(out, Filling{Tool: RunTool, Name: u.Command, Times: u.Runs, Chars: u.Chars, CarriedChars: u.CarriedChars})
	}
	for _, t := range f.Tools {
		if t.other {
			out = append(out, Filling{Tool: t.Name, Times: t.Calls, Chars: t.ResultChars, CarriedChars: t.CarriedChars})
		}
	}
	out = slices.DeleteFunc(out, func(r Filling) bool { return r.Chars == 0 })
	slices.SortFunc(out, func(a, b Filling) int {
		return cmp.Or(cmp.Compare(b.Chars, a.Chars), strings.Compare(a.Tool, b.Tool), strings.Compare(a.Name, b.Name))
	})
	return firstOf(out, most)
}
