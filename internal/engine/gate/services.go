package gate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/insight/failure"
	"kedge/internal/process"
	"kedge/internal/process/atomicfile"
)

// services are the programs that checks of some kinds need: started before the
// first of these, gone after the gate.
type services struct {
	g       *gate
	asked   bool
	running []Line
	failed  *notReady
	ports   []*os.File // locks of the ports that were chosen
}

// notReady is a service that did not come up: the failure of every check that
// needs it.
type notReady struct {
	failure kedge.Failure
	log     string
}

// start brings all of them up, once.
func (s *services) start(ctx context.Context) (*notReady, error) {
	if s.asked {
		return s.failed, nil
	}
	s.asked = true
	for _, v := range s.g.Services {
		failed, err := s.startOne(ctx, v)
		if failed != nil || err != nil {
			s.failed = failed
			return failed, err
		}
	}
	return nil, nil
}

// stop ends all of them, the last one first. What could not be ended is said in
// the log of the daemon by whoever owns the process; here nothing more can be
// done.
func (s *services) stop() {
	for i := len(s.running) - 1; i >= 0; i-- {
		_, _ = s.running[i].Stop()
	}
	s.running = nil
	s.freePorts()
}

// freePorts lets other gates choose what this one chose: by then a service
// listens there, or none ever will.
func (s *services) freePorts() {
	for _, f := range s.ports {
		_ = f.Close()
	}
	s.ports = nil
}

// maxTries: how often a service gets another port because someone was faster.
const maxTries = 3

func (s *services) startOne(ctx context.Context, v kedge.Service) (*notReady, error) {
	for try := 1; ; try++ {
		port, err := s.port(ctx, v)
		if err != nil {
			return nil, err
		}
		failed, err := s.tryOn(ctx, v, port)
		if failed == nil || err != nil || try == maxTries || !answers(ctx, hostPort(port)) {
			return failed, err
		}
	}
}

func (s *services) log(v kedge.Service) string {
	return filepath.Join(s.g.LogDir, "service-"+v.Name+".log")
}

// port is the one that the service has, where an earlier part of this gate has
// started it and it still runs; else a free one.
func (s *services) port(ctx context.Context, v kedge.Service) (int, error) {
	file := strings.TrimSuffix(s.log(v), ".log") + ".port"
	if s.g.Runner.Runs(ctx, s.log(v)) {
		b, err := os.ReadFile(file)
		if err != nil {
			return 0, kedge.Errorf(kedge.Internal, "cannot read the port of service %q: %w", v.Name, err)
		}
		return strconv.Atoi(string(b))
	}
	port, err := s.freePort(ctx)
	if err != nil {
		return 0, err
	}
	return port, atomicfile.Write(file, []byte(strconv.Itoa(port)), 0o600)
}

// tryOn starts the service with the given port and waits until it answers.
func (s *services) tryOn(ctx context.Context, v kedge.Service, port int) (*notReady, error) {
	ready, log := readyURL(v, port), s.log(v)
	if !s.g.Runner.Runs(ctx, log) && answers(ctx, ready.Host) {
		return nil, kedge.Errorf(kedge.Blocked, "another program already answers at %s, where service %q should answer", ready.Host, v.Name).
			WithHint("stop that program; or, in .kedge/gate.toml, start the service on $KEDGE_PORT and write {port} in the service's ready address")
	}
	p, err := s.g.Runner.Start(ctx, process.Spec{
		Line: v.Run, Under: s.g.Box.Online().Prefix(), Dir: s.g.Dir, Log: log,
		Env: withEnv(s.g.Env, map[string]string{"KEDGE_SLOT": s.g.Slot, "KEDGE_PORT": strconv.Itoa(port)}),
	})
	if err != nil {
		return nil, err
	}
	s.g.ports[v.Name] = port
	said := awaitReady(ctx, p, s.waitFor(v, ready))
	if said == "" {
		s.running = append(s.running, p)
		return nil, nil
	}
	if left(ctx) {
		return nil, ErrLeft
	}
	_, err = p.Stop()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return &notReady{failure: serviceFailure(v, log, said), log: log}, err
}

func serviceFailure(v kedge.Service, log, said string) kedge.Failure {
	text, err := ReadLog(log)
	f, ok := failure.First(v.Run, text)
	said = fmt.Sprintf("service %q %s", v.Name, said)
	if err == nil && ok {
		said += "\n" + f.Message
	}
	f.Message = said
	return f
}

// readyURL is where the service must answer: an http address, or just the port.
func readyURL(v kedge.Service, port int) *url.URL {
	u, err := url.Parse(strings.ReplaceAll(v.Ready, "{port}", strconv.Itoa(port)))
	if v.Ready == "" || err != nil {
		return &url.URL{Scheme: "tcp", Host: hostPort(port)}
	}
	if u.Port() == "" {
		u.Host = net.JoinHostPort(u.Hostname(), map[string]string{"https": "443"}[u.Scheme])
		if u.Scheme == "http" {
			u.Host = net.JoinHostPort(u.Hostname(), "80")
		}
	}
	return u
}

func hostPort(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// freePort finds a port that nothing listens on and that no other gate that
// shares the folder of locks has chosen: two services that start at the same time
// on one port would answer for each other. A stranger who comes between makes the
// service fail and try another.
func (s *services) freePort(ctx context.Context) (int, error) {
	for range 200 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		lock, err := s.g.lockPort(port)
		if err != nil {
			return 0, err
		}
		if lock == nil {
			continue
		}
		if !isFree(ctx, port) {
			_ = lock.Close()
			continue
		}
		s.ports = append(s.ports, lock)
		return port, nil
	}
	return 0, noPort(firstPort, lastPort, "see which programs use these ports: ss -ltn")
}
