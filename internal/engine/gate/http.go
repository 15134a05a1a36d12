package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"

	"kedge"
	"kedge/internal/core/check"
)

// maxBody bounds what is read of an answer.
const maxBody = 4 << 20

func method(h kedge.HTTPCheck) string { return orElse(h.Method, http.MethodGet) }

// runHTTP makes the request and compares the answer. Its log holds both.
func (g *gate) runHTTP(ctx context.Context, s step, res *kedge.CheckResult) error {
	h := *s.check.HTTP
	return g.probe(ctx, s, res, check.Address(h), func(ctx context.Context, url string) (said string, log []byte) {
		ans, said := ask(ctx, h, url)
		if said == "" {
			said = compare(h, ans)
		}
		return said, fmt.Appendf(nil, "%s\n\n%s\n\n%s\n", h.Body, ans.head, ans.body)
	})
}

// probe lets Kedge itself ask at an address, in the time that the check has. The
// question gives what is wrong, if anything is, and what belongs into the log.
func (g *gate) probe(ctx context.Context, s step, res *kedge.CheckResult, address string, question func(ctx context.Context, address string) (said string, log []byte)) error {
	address, err := g.fillPort(address)
	if err != nil {
		return err
	}
	if res.Command, err = g.fillPort(s.line); err != nil {
		return err
	}
	asking, cancel := context.WithTimeout(ctx, check.Timeout(s.check))
	defer cancel()
	said, log := question(asking, address)
	if err := ctx.Err(); err != nil {
		return err
	}
	res.Exit = 0
	if said != "" {
		res.Exit = 1
		res.FirstFailure = &kedge.Failure{Message: res.Command + ": " + said}
	}
	return writeLog(res.Log, append([]byte(res.Command+"\n"), log...))
}

// fillPort puts the first service's port in.
func (g *gate) fillPort(text string) (string, error) {
	if !strings.Contains(text, check.PortPlace) {
		return text, nil
	}
	if len(g.Services) == 0 {
		return "", kedge.Errorf(kedge.Invalid, "%q contains {port}, which stands for the port of a service, but the project has no service", text).
			WithHint("add a service to .kedge/gate.toml: a [[service]] block with name, run and ready")
	}
	return strings.ReplaceAll(text, check.PortPlace, strconv.Itoa(g.ports[g.Services[0].Name])), nil
}

// answer is what came back.
type answer struct {
	status int
	head   string
	body   []byte
}

// client goes straight to the address: through no proxy and along no redirect,
// so that what is judged is what was asked.
func client() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ask makes the request; said is why there is no answer.
func ask(ctx context.Context, h kedge.HTTPCheck, url string) (ans answer, said string) {
	req, err := http.NewRequestWithContext(ctx, method(h), url, strings.NewReader(h.Body))
	if err != nil {
		return ans, err.Error()
	}
	for k, v := range h.Header {
		req.Header.Set(k, v)
		if strings.EqualFold(k, "Host") {
			req.Host = v
		}
	}
	resp, err := client().Do(req)
	if err != nil {
		return ans, reason(err)
	}
	defer func() { _ = resp.Body.Close() }()
	ans.status, ans.head = resp.StatusCode, resp.Proto+" "+resp.Status
	ans.body, err = io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return ans, reason(err)
	}
	if len(ans.body) > maxBody {
		ans.body = ans.body[:maxBody]
		return ans, fmt.Sprintf("the answer is larger than %d MB", maxBody>>20)
	}
	return ans, ""
}

func reason(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "timed out"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	}
	return err.Error()
}

// compare says how the answer differs from what was wanted; empty when it does
// not.
func compare(h kedge.HTTPCheck, ans answer) string {
	if h.Status != 0 && ans.status != h.Status {
		return fmt.Sprintf("the service answered with status %d, not %d: %s", ans.status, h.Status, check.Excerpt(ans.body))
	}
	if h.Status == 0 && (ans.status < 200 || ans.status > 299) {
		return fmt.Sprintf("the service answered with status %d, not 2xx: %s", ans.status, check.Excerpt(ans.body))
	}
	if h.JSON == nil {
		return ""
	}
	want, err := normal(h.JSON)
	if err != nil {
		return "Kedge cannot turn the expected answer (http.json) into JSON"
	}
	got, err := decode(ans.body)
	if err != nil {
		return fmt.Sprintf("the answer is not JSON: %s", check.Excerpt(ans.body))
	}
	return check.Differs(want, got)
}

// normal gives v the types that decode gives.
func normal(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return decode(b)
}

// decode keeps numbers as they were written: large ones must not round.
func decode(b []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("it has more than one JSON value")
	}
	return v, nil
}

func writeLog(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot open the log of a check: %w", err)
	}
	_, err = f.Write(b)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot write the log of a check: %w", err)
	}
	return nil
}
