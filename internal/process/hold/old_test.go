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
	"kedge/internal/process/wire"
)

// serveOld answers Status and Follow, and nothing else: a client that asks for
// more than the hello lists gets no answer at all.
func serveOld(s hold.Spec, hello wire.Greeting) int {
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

func answerOld(c net.Conn, hello wire.Greeting) {
	defer c.Close()
	first, _ := wire.JSON(wire.Hello, hello)
	if wire.Write(c, first) != nil {
		return
	}
	for {
		f, err := wire.Read(c)
		if err != nil {
			return
		}
		switch f.Type {
		case wire.Status:
			report, _ := wire.JSON(wire.Report, wire.State{Running: true, End: 42})
			err = wire.Write(c, report)
		case wire.Follow:
			err = wire.Write(c, wire.Frame{Type: wire.OK})
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
