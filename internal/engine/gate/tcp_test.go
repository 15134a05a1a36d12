package gate_test

import (
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/engine/gate"
)

// closedAddress is one of this machine that nothing listens on.
func closedAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Addr().String()
}

func TestTCPCheck(t *testing.T) {
	open := httptest.NewServer(nil)
	t.Cleanup(open.Close)
	for _, tt := range []struct{ name, address, want string }{
		{"accepts", open.Listener.Addr().String(), ""},
		{"refuses", closedAddress(t), ": connection refused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := request(t)
			q.Own = []kedge.Check{{Name: "port", TCP: tt.address}}
			v := mustRun(t, q)
			r := v.Checks[0]
			if v.Green() != (tt.want == "") || r.Kind != kedge.CheckTCP || r.Command != "tcp "+tt.address || !strings.HasPrefix(read(t, r.Log), r.Command+"\n") {
				t.Errorf("verdict %+v, failure %+v", v, r.FirstFailure)
			}
			if tt.want != "" && (v.Verdict != kedge.TCPFailure || r.Exit != 1 || r.FirstFailure.Message != "tcp "+tt.address+tt.want) {
				t.Errorf("%s: failure %+v, want %q", v.Verdict, r.FirstFailure, tt.want)
			}
		})
	}
}

// TestTCPCheckOfAService: the check waits for the project's service, as http does.
func TestTCPCheckOfAService(t *testing.T) {
	q := request(t, kedge.Check{Name: "port", TCP: "127.0.0.1:{port}"})
	q.Services = []kedge.Service{{Name: "web", Run: serve(t), Ready: "http://127.0.0.1:{port}/health"}}
	v := mustRun(t, q)
	if r := v.Checks[0]; !v.Green() || strings.Contains(r.Command, "{port}") || r.Exit != 0 {
		t.Errorf("%+v, failure %+v", v, r.FirstFailure)
	}
	q.Services[0].Run = "exit 4"
	v = mustRun(t, q)
	if f := v.Checks[0].FirstFailure; v.Verdict != kedge.TCPFailure || f == nil || !strings.Contains(f.Message, `service "web" ended with exit 4`) {
		t.Errorf("%+v, failure %+v", v, f)
	}
	q.Services = nil
	if _, err := gate.Run(t.Context(), q); !kedge.Invalid.Is(err) || !strings.Contains(err.Error(), "the port of a service, but the project has no service") {
		t.Errorf("without a service: %v", err)
	}
}
