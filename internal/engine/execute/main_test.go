package execute_test

import (
	"context"
	"os"
	"testing"
	"time"

	"kedge/internal/app/demo/scripted"
	"kedge/internal/process/hold"
)

// TestMain makes this binary also the holder and the scripted agent, so that the
// tests work with real processes.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "hold":
			if err := hold.Main(context.Background(), os.Stdin, os.Stdout); err != nil {
				_, _ = os.Stderr.Write(hold.Complain(err))
				os.Exit(1)
			}
			os.Exit(0)
		case "fakeagent":
			dir, err := os.Getwd()
			if err != nil {
				os.Exit(2)
			}
			os.Exit(scripted.Main(os.Args[2:], scripted.World{
				Dir: dir, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Now: time.Now,
				Program: []string{os.Args[0], "fakeagent"},
			}))
		}
	}
	os.Exit(m.Run())
}
