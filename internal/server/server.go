package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"
	"kedge/internal/process"
	"kedge/internal/text/strict"
)

// Host is the only host name the socket's server answers to: a browser that was
// talked into reaching it sends another.
const Host = "kedge"

// LeftPath is where a hook says, without a word and waiting for none, that it left
// something: an agent waits for the hook.
const LeftPath = "/v1/hooks/left"

// MaxBody bounds a request.
const MaxBody = 32 << 20

// statusOf maps each kind of error to its HTTP status, once.
var statusOf = map[kedge.Kind]int{
	kedge.Internal:    http.StatusInternalServerError,
	kedge.Invalid:     http.StatusBadRequest,
	kedge.NotFound:    http.StatusNotFound,
	kedge.Conflict:    http.StatusConflict,
	kedge.Blocked:     http.StatusForbidden,
	kedge.Red:         http.StatusUnprocessableEntity,
	kedge.OverBudget:  http.StatusPaymentRequired,
	kedge.Interrupted: http.StatusServiceUnavailable,
}

// Handler serves the table of calls over s.
func Handler(s *app.Service, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/hello", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"version": kedge.Version})
	})
	mux.HandleFunc("POST /v1/call/{name}", func(w http.ResponseWriter, r *http.Request) {
		serve(s, log, w, r)
	})
	mux.HandleFunc("POST "+LeftPath, func(w http.ResponseWriter, _ *http.Request) {
		s.HooksLeft()
		w.WriteHeader(http.StatusNoContent)
	})
	return guard(mux)
}

// guard refuses, before routing, whatever a browser could have been made to send.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != Host || r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" {
			http.Error(w, "this socket is not for browsers", http.StatusForbidden)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
		next.ServeHTTP(w, r)
	})
}

func serve(s *app.Service, log *slog.Logger, w http.ResponseWriter, r *http.Request) {
	a := &answer{w: w}
	ctx, damage := projects.WithDamage(r.Context())
	out, err := run(s, a, r.WithContext(ctx))
	if errors.Is(err, app.ErrLeft) {
		panic(http.ErrAbortHandler) // the client asks the next daemon, which has the answer
	}
	if err != nil && kedge.Internal.Is(err) {
		log.ErrorContext(r.Context(), "call failed", "call", r.PathValue("name"), "error", err.Error())
	}
	a.finish(out, err, damage.Err())
}

func run(s *app.Service, a *answer, r *http.Request) (any, error) {
	c, err := Find(r.PathValue("name"))
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, bodyError(err)
	}
	var env Envelope
	if err := strict.Decode("request", body, &env); err != nil {
		return nil, err
	}
	if c.Mode == Writing && env.Key == "" {
		return nil, kedge.Errorf(kedge.Invalid, "a request that changes something needs an idempotency key")
	}
	if err := identify(r.Context(), s, c, &env); err != nil {
		return nil, err
	}
	if c.Long {
		a.progress(struct{}{}) // who waits for an answer knows that it will come, and does not look for it elsewhere
	}
	return c.Run(r.Context(), s, env, a.progress)
}

// identify finds out who asks: where the caller runs counts, not what it says. Who
// shows a token must show the one of the session that it names.
func identify(ctx context.Context, s *app.Service, c Call, env *Envelope) error {
	pid, known := process.PID(ctx)
	var in kedge.SessionID
	if known && (c.Mode == Writing || c.Personal || env.Token != "" || env.Operator != "") {
		in = s.SessionOf(pid)
	}
	if env.Operator != "" {
		return operator(ctx, s, c, env, in)
	}
	if env.Token != "" {
		return s.Admit(ctx, sessions.Pass{Dir: env.Dir, Session: env.Session, Token: env.Token, Inside: in, Act: c.Name})
	}
	if in != "" {
		env.Session = in
	}
	return nil
}

// operator makes the caller the operator whose token it shows. In is the session in which
// the caller is known to run.
func operator(ctx context.Context, s *app.Service, c Call, env *Envelope, in kedge.SessionID) error {
	if in == "" {
		in = env.Session
	}
	name, err := s.AdmitOperator(ctx, sessions.OperatorPass{Dir: env.Dir, Token: env.Operator, User: env.User, Inside: in, Act: c.Name, May: c.Operate})
	if err != nil {
		return err
	}
	env.Session, env.Token, env.User = "", "", env.User+" via "+name
	return nil
}

func bodyError(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return kedge.Errorf(kedge.Invalid, "your command sends too much to the daemon: a request may have at most %d bytes", MaxBody)
	}
	return kedge.Errorf(kedge.Interrupted, "the daemon cannot read the request: %w", err)
}

// answer writes the lines of one answer. Progress may come from several
// goroutines; once a line is out, the status is 200 and an error is a line.
type answer struct {
	w http.ResponseWriter

	mu      sync.Mutex
	started bool
	done    bool
}

func (a *answer) progress(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		return // a progress line that cannot be told is not worth failing for
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done {
		return
	}
	a.lineLocked(http.StatusOK, Line{Type: "progress", Data: b})
	_ = http.NewResponseController(a.w).Flush() // a client that went away is noticed by the context
}

func (a *answer) finish(out any, err, damage error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done = true
	var data json.RawMessage
	if err == nil {
		data, err = Encode(out)
	}
	if err != nil {
		wire := ToWire(err)
		a.lineLocked(statusOf[wire.Kind], Line{Type: "error", Error: wire})
		return
	}
	l := Line{Type: "result", Data: data}
	if damage != nil {
		l.Damage = ToWire(damage)
	}
	a.lineLocked(http.StatusOK, l)
}

func (a *answer) lineLocked(status int, l Line) {
	if !a.started {
		a.started = true
		a.w.Header().Set("Content-Type", "application/x-ndjson")
		a.w.WriteHeader(status)
	}
	e := json.NewEncoder(a.w)
	e.SetEscapeHTML(false)
	_ = e.Encode(l) // see progress
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that went away needs no answer
}
