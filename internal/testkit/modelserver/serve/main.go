// Command modelserver serves the scripts of a file, {"name": {"turns": […]}}, as a
// model on the loopback interface until its input ends, to try a real agent by
// hand: it prints its address first, and in the end what each conversation used.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"kedge/internal/testkit/modelserver"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "modelserver:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: modelserver SCRIPTS.json, until the input ends; a conversation names its script with %s", modelserver.Mark("NAME"))
	}
	b, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var scripts map[string]modelserver.Script
	if err := json.Unmarshal(b, &scripts); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	s, err := modelserver.Start()
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	var names []string
	for name, script := range scripts {
		s.Play(name, script)
		names = append(names, name)
	}
	fmt.Fprintln(out, s.URL)
	if _, err := io.Copy(io.Discard, in); err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		t := s.Totals(name)
		fmt.Fprintf(out, "%s: %d replies (%d aside), %d faults, input %d, cache read %d, cache write %d, output %d, models %v\n",
			name, t.Replies, t.Aside, t.Faults, t.Input, t.CacheRead, t.CacheWrite, t.Output, t.Models)
	}
	for _, r := range s.Records() {
		fmt.Fprintf(out, "%s %s %s said=%d tools=%d stream=%v size=%d\n", r.Method, r.Path, r.Conversation, len(r.Request.Said), len(r.Request.Tools), r.Request.Stream, r.Request.Size)
	}
	return nil
}
