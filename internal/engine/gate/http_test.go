package gate_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/engine/gate"
)

func api(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders/1", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"id":12345678901234567890,"userId":1.0,"items":[{"sku":"a","n":1},{"sku":"b"}],"note":null}`)
	})
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("X-Token") != "t" || string(body) != `{"sku":"a"}` {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusCreated)
	})
	mux.HandleFunc("GET /away", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/orders/1", http.StatusFound) })
	mux.HandleFunc("GET /text", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello\x1b[31m") })
	mux.HandleFunc("GET /huge", func(w http.ResponseWriter, _ *http.Request) {
		for range 100 {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func TestRow101HTTPCheck(t *testing.T) {
	for _, tt := range []struct{ name, check, want string }{
		{"status and json", `{"url":"/orders/1","status":200,"json":{"userId":1,"items":[{"sku":"a"},{}],"note":null}}`, ""},
		{"any 2xx", `{"url":"/orders","method":"POST","header":{"X-Token":"t"},"body":"{\"sku\":\"a\"}"}`, ""},
		{"a large number", `{"url":"/orders/1","json":{"id":12345678901234567890}}`, ""},
		{"wrong status", `{"url":"/orders/2","status":200}`, "status 404, not 200"},
		{"not 2xx", `{"url":"/orders/2"}`, "status 404, not 2xx: "},
		{"wrong value", `{"url":"/orders/1","json":{"userId":2}}`, "$.userId is 1.0, not 2"},
		{"a large number, one off", `{"url":"/orders/1","json":{"id":12345678901234567891}}`, "$.id is 12345678901234567890"},
		{"missing key", `{"url":"/orders/1","json":{"total":1}}`, "$.total is missing"},
		{"null is not missing", `{"url":"/orders/1","json":{"nothing":null}}`, "$.nothing is missing"},
		{"inside an array", `{"url":"/orders/1","json":{"items":[{},{"sku":"c"}]}}`, `$.items[1].sku is "b", not "c"`},
		{"length of an array", `{"url":"/orders/1","json":{"items":[{}]}}`, "not an array with 1 element"},
		{"not an object", `{"url":"/orders/1","json":[1]}`, "the answer is {"},
		{"not JSON", `{"url":"/text","json":{}}`, "the answer is not JSON: hello"},
		{"a redirect is not followed", `{"url":"/away"}`, "status 302"},
		{"a redirect can be wanted", `{"url":"/away","status":302}`, ""},
		{"a huge answer", `{"url":"/huge"}`, "larger than 4 MB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &kedge.HTTPCheck{}
			dec := json.NewDecoder(strings.NewReader(tt.check))
			dec.UseNumber()
			if err := dec.Decode(h); err != nil {
				t.Fatal(err)
			}
			h.URL = api(t) + h.URL
			q := request(t)
			q.Own = []kedge.Check{{Name: "api", HTTP: h}}
			v := mustRun(t, q)
			r := v.Checks[0]
			if (tt.want == "") != v.Green() || r.Kind != kedge.CheckHTTP || !strings.HasPrefix(read(t, r.Log), r.Command) {
				t.Errorf("verdict %+v, failure %+v", v, r.FirstFailure)
			}
			if tt.want != "" && (v.Verdict != kedge.HTTPFailure || !strings.Contains(r.FirstFailure.Message, tt.want)) {
				t.Errorf("%s: failure %+v, want %q", v.Verdict, r.FirstFailure, tt.want)
			}
		})
	}
}

// serve is a service that the test binary plays.
func serve(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return "GATE_TEST_SERVICE=1 exec '" + exe + "'"
}

func TestServices(t *testing.T) {
	tok := token(t)
	q := request(t,
		kedge.Check{Name: "api", HTTP: &kedge.HTTPCheck{URL: "http://127.0.0.1:{port}/", JSON: map[string]any{"slot": "4"}}},
		kedge.Check{Name: "e2e", Run: `test -n "$KEDGE_PORT" && echo "$KEDGE_PORT"`},
		kedge.Check{Name: "unit", Run: `test -z "$KEDGE_PORT"`},
	)
	q.Slot = "4"
	q.Services = []kedge.Service{
		{Name: "web", Run: serve(t) + " " + tok, Ready: "http://127.0.0.1:{port}/health"},
		{Name: "other", Run: serve(t) + " " + tok},
	}
	v := mustRun(t, q)
	if !v.Green() || len(v.Checks) != 3 {
		for _, c := range v.Checks {
			t.Logf("%+v %+v", c, c.FirstFailure)
		}
		t.Fatal("red")
	}
	if url := v.Checks[2].Command; url == "GET http://127.0.0.1:{port}/" {
		t.Errorf("the verdict does not say which port: %s", url)
	}
	if left := running(t, tok); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

func TestServicesAreNotStartedForNothing(t *testing.T) {
	q := request(t, kedge.Check{Name: "unit", Run: "true"})
	q.Services = []kedge.Service{{Name: "web", Run: "touch started; sleep 1000"}}
	if v := mustRun(t, q); !v.Green() {
		t.Errorf("%+v", v)
	}
	if _, err := os.Stat(q.Dir + "/started"); err == nil {
		t.Error("no check needed the service")
	}
}

func TestServiceThatEnds(t *testing.T) {
	q := request(t, kedge.Check{Name: "e2e", Run: "true"}, kedge.Check{Name: "api", HTTP: &kedge.HTTPCheck{URL: "http://127.0.0.1:{port}/"}})
	q.Services = []kedge.Service{{Name: "web", Run: "echo server.js:3: error: cannot bind; exit 4"}}
	v := mustRun(t, q)
	f := v.Checks[0].FirstFailure
	if v.Verdict != kedge.E2EFailure || f == nil || !strings.Contains(f.Message, `service "web" ended with exit 4`) || f.File != "server.js" {
		t.Errorf("%+v, failure %+v", v, f)
	}
}

func TestServiceThatIsNeverReady(t *testing.T) {
	q := request(t, kedge.Check{Name: "api", HTTP: &kedge.HTTPCheck{URL: "http://127.0.0.1:{port}/"}})
	q.Services = []kedge.Service{{Name: "web", Run: "sleep 1000", Timeout: "150ms"}}
	v := mustRun(t, q)
	if f := v.Checks[0].FirstFailure; v.Verdict != kedge.HTTPFailure || f == nil || !strings.Contains(f.Message, "was not ready at 127.0.0.1:") || !strings.Contains(f.Message, "within 150ms: ") {
		t.Errorf("%+v, failure %+v", v, f)
	}
}

func TestPortThatAnswersAlready(t *testing.T) {
	q := request(t, kedge.Check{Name: "api", HTTP: &kedge.HTTPCheck{URL: "http://127.0.0.1:{port}/"}})
	q.Services = []kedge.Service{{Name: "web", Run: serve(t), Ready: api(t) + "/orders/1"}}
	if _, err := gate.Run(t.Context(), q); !kedge.Blocked.Is(err) || !strings.Contains(err.Error(), "another program already answers at ") || kedge.HintOf(err) == "" {
		t.Errorf("error %v", err)
	}
}

func TestPortWithoutService(t *testing.T) {
	q := request(t, kedge.Check{Name: "api", HTTP: &kedge.HTTPCheck{URL: "http://127.0.0.1:{port}/"}})
	if _, err := gate.Run(t.Context(), q); !kedge.Invalid.Is(err) {
		t.Errorf("error %v", err)
	}
}
