package scripted

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"kedge"
)

// serveFlag makes the program the server that an agent left behind.
const serveFlag = "--serve"

// Main is the hidden command: fakeagent SCRIPT [--one-shot F1,F2,…]. It gives the
// exit code. Signals end it as they end any program that does not care.
func Main(args []string, w World) int {
	if len(args) == 1 && args[0] == serveFlag {
		return serveForEver()
	}
	if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
		_, _ = io.WriteString(w.Out, help())
		return 0
	}
	if len(args) == 3 && args[1] == "--one-shot" {
		w.OneShot = strings.Split(args[2], ",")
		args = args[:1]
	}
	if len(args) != 1 {
		return complain(w, kedge.Errorf(kedge.Invalid, "%s; the format of a script: kedge fakeagent --help", usage))
	}
	b, err := os.ReadFile(args[0])
	if err != nil {
		return complain(w, kedge.Errorf(kedge.NotFound, "cannot read the script, which tells the demo's agent what to do: %w", err))
	}
	s, err := Parse(args[0], b)
	if err != nil {
		return complain(w, err)
	}
	return Run(context.Background(), s, w)
}

// serveForEver answers on the socket that it was started with.
func serveForEver() int {
	l, err := net.FileListener(os.NewFile(3, "listener"))
	if err != nil {
		return 1
	}
	srv := http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("served by an agent\n")) }),
		ReadHeaderTimeout: time.Minute,
	}
	_ = srv.Serve(l) // until it is killed
	return 1
}
