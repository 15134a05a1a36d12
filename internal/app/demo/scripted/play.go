package scripted

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/text/lazyre"
)

// World is what the agent is started in.
type World struct {
	Dir      string
	In       io.Reader // the brief
	Out, Err io.Writer
	Getenv   func(string) string
	Now      func() time.Time
	Program  []string // the command that becomes this agent; for servers that it leaves
	OneShot  []string // features to do in one context, in this order; empty: the one of the environment
}

// end is how the agent goes: its exit code.
type end struct{ code int }

// player plays.
type player struct {
	script Script
	w      World
	scene  Scene
	ctx    window
	calls  int
}

// Run plays a script to its end and gives the exit code.
func Run(ctx context.Context, s Script, w World) int {
	brief, err := io.ReadAll(w.In)
	if err != nil {
		return complain(w, kedge.Errorf(kedge.Internal, "the demo's agent cannot read the text that its session starts with (the brief): %w", err))
	}
	p := &player{script: s, w: w, scene: sceneOf(w.Getenv, string(brief)), ctx: newWindow(s.Window, string(brief))}
	if e := p.settle(""); e != nil {
		return e.code
	}
	features := w.OneShot
	if len(features) == 0 {
		features = []string{p.scene.Feature}
	}
	for _, f := range features {
		p.scene.Feature = f
		if e := p.play(ctx); e.code != 0 {
			return e.code
		}
	}
	return 0
}

func complain(w World, err error) int {
	fmt.Fprintf(w.Err, "fakeagent: %s\n", err.Error())
	return 2
}

func sceneOf(getenv func(string) string, brief string) Scene {
	number := func(name string) int {
		n, _ := strconv.Atoi(getenv(name)) // unknown is the first
		return max(n, 1)
	}
	return Scene{
		Feature: getenv("KEDGE_FEATURE"), Attempt: number("KEDGE_ATTEMPT"), Purpose: getenv("KEDGE_PURPOSE"),
		Number: number("KEDGE_NUMBER"), Brief: brief,
	}
}

// play plays the play of the scene.
func (p *player) play(ctx context.Context) *end {
	play, ok := p.script.choose(p.scene)
	if !ok {
		return &end{complain(p.w, kedge.Errorf(kedge.NotFound, "the script does not say what the agent does in this session: feature %q, attempt %d, purpose %q, session number %d",
			p.scene.Feature, p.scene.Attempt, p.scene.Purpose, p.scene.Number).WithHint("add an entry to \"plays\" in the script; the format: kedge fakeagent --help"))}
	}
	if e := p.all(ctx, play.Do); e != nil {
		return e
	}
	return p.done(ctx, Action{})
}

func (p *player) all(ctx context.Context, actions []Action) *end {
	for _, a := range actions {
		if ctx.Err() != nil {
			return &end{130}
		}
		if e := verbs()[a.Do].do(p, ctx, p.expand(a)); e != nil {
			return e
		}
	}
	return nil
}

var placeholder = lazyre.New(`\{\{\w+\}\}`)

// expand fills in what a text says in double braces.
func (p *player) expand(a Action) Action {
	for _, s := range []*string{&a.Path, &a.Text, &a.Old, &a.New, &a.Line, &a.Branch} {
		if strings.Contains(*s, "{{") {
			*s = placeholder.ReplaceAllStringFunc(*s, p.value)
		}
	}
	return a
}

func (p *player) value(in string) string {
	switch name := strings.Trim(in, "{}"); name {
	case "feature":
		return p.scene.Feature
	case "attempt":
		return strconv.Itoa(p.scene.Attempt)
	case "number":
		return strconv.Itoa(p.scene.Number)
	case "purpose":
		return p.scene.Purpose
	case "session":
		return p.w.Getenv("KEDGE_SESSION")
	case "run":
		return p.w.Getenv("KEDGE_RUN")
	default:
		return p.w.Getenv(name)
	}
}

// file is the place of a path: absolute, or in the worktree.
func (p *player) file(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.w.Dir, name)
}

// tell reports an event to Kedge, unless the script is silent.
func (p *player) tell(event map[string]any) {
	if p.script.Silent {
		return
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read it too
	if err := e.Encode(event); err != nil {
		complain(p.w, err) // maps of texts and numbers always encode
		return
	}
	_, _ = fmt.Fprintf(p.w.Out, "KEDGE %s", b.Bytes()) // nobody reads: the agent goes on
}

// called reports a call and its result, and what it cost.
func (p *player) called(tool, input string, paths []string, output string, failed bool) *end {
	p.calls++
	id := strconv.Itoa(p.calls)
	p.tell(map[string]any{"type": "call", "id": id, "tool": tool, "input": input, "paths": paths})
	p.tell(map[string]any{"type": "result", "id": id, "output": head(output, 8<<10), "failed": failed})
	p.ctx.add(head(output, 16<<10))
	return p.settle(tool + " " + input)
}

func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
