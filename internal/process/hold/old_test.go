package hold_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"kedge/internal/process/hold"
)

// serveOld answers Status and Follow, and nothing else: a client that asks for
// more than the hello lists gets no answer at all.
func serveOld(s hold.Spec, hello hold.Greeting) int {
	l, err := net.Listen("unix", s.Socket)
	if err != nil {
		return 1
	}
	record, _ := json.Marshal(hold.Record{Greeting: hello, Socket: s.Socket})
	if os.WriteFile(filepath.Join(s.Dir, "holder.json"), record, 0o600) != nil {
		return 1
	}
	fmt.Println("ready")
	for {
		c, err := l.Accept()
		if err != nil {
			return 1
		}
		go answerOld(c, hello)
	}
}

func answerOld(c net.Conn, hello hold.Greeting) {
	defer c.Close()
	first, _ := hold.NewJSON(hold.VerbHello, hello)
	if hold.WriteFrame(c, first) != nil {
		return
	}
	for {
		f, err := hold.ReadFrame(c)
		if err != nil {
			return
		}
		switch f.Type {
		case hold.VerbStatus:
			report, _ := hold.NewJSON(hold.VerbReport, hold.State{Running: true, End: 42})
			err = hold.WriteFrame(c, report)
		case hold.VerbFollow:
			err = hold.WriteFrame(c, hold.Frame{Type: hold.VerbOK})
		default:
			return
		}
		if err != nil {
			return
		}
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

func startTimeOf(pid int) uint64 {
	b, _ := os.ReadFile(filepath.Join("/proc", itoa(pid), "stat"))
	f := strings.Fields(string(b[strings.LastIndex(string(b), ")")+1:]))
	n, _ := strconv.ParseUint(f[19], 10, 64)
	return n
}
