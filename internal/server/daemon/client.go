package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"kedge"
)

// host stands for the socket.
const host = "kedge"

// BaseURL is what request URLs start with.
const BaseURL = "http://" + host

// ErrAbsent is in the chain of the error of a request that found no daemon: it
// was not sent.
var ErrAbsent = errors.New("no daemon")

// Client gives a client of the daemon of home, whether it lives or not: a
// request to one that does not gives ErrAbsent. It stays good when the daemon is
// restarted. An answer must begin within patience, 0 for no limit: a daemon that
// is stopped takes connections and never answers.
func Client(home string, patience time.Duration) *http.Client {
	return &http.Client{Transport: transport{home: home, patience: patience}}
}

// Dial is Client for a daemon that lives. It is NotFound when none does: the
// address, pid and socket a dead one left behind are not a daemon.
func Dial(ctx context.Context, home string) (*http.Client, error) {
	c, err := connect(ctx, home)
	if err != nil {
		return nil, err
	}
	_ = c.Close()
	return Client(home, 0), nil
}

// connect opens the socket and makes sure that this user listens there: the
// stand-in folder for long paths is in a place that others share.
func connect(ctx context.Context, home string) (net.Conn, error) {
	path, err := readAddress(home)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, absent(home)
	}
	if err != nil {
		return nil, kedge.Errorf(kedge.Invalid, "cannot read the daemon's address in %q: %w", addressFile(home), cause(err))
	}
	// A socket of the same machine takes a connection or refuses it, at once.
	c, err := new(net.Dialer).DialContext(context.WithoutCancel(ctx), "unix", path)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
		return nil, absent(home)
	}
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot connect to the daemon at %q: %w", path, bareNet(err))
	}
	if err := checkPeer(c, os.Geteuid()); err != nil {
		if kedge.Conflict.Is(err) {
			err = kedge.Errorf(kedge.Conflict, "the daemon at %q belongs to another user: %w", path, err).WithHint("set KEDGE_HOME to a folder of your own")
		}
		return nil, closing(err, c)
	}
	return c, nil
}

// pokeLimit only guards: a socket takes a small request at once, whoever reads it.
const pokeLimit = time.Second

// Poke posts an empty request to the daemon of home and does not wait for the
// answer. A daemon that is hung has it when it goes on. It is written by hand: what
// pokes has to be quick.
func Poke(home, path string) error {
	conn, err := connect(context.Background(), home)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetWriteDeadline(time.Now().Add(pokeLimit)); err != nil {
		return err
	}
	_, err = conn.Write([]byte("POST " + path + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
	return err
}

func absent(home string) error {
	err := kedge.Errorf(kedge.NotFound, "no daemon runs for the state folder %q", home).WithHint("start one: kedge up")
	err.Err = ErrAbsent
	return err
}

// Ask gets the daemon's word on who it is; it waits as long as ctx lets it.
func Ask(ctx context.Context, c *http.Client) (Hello, error) {
	var hello Hello
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, BaseURL+helloPath, nil)
	if err != nil {
		return hello, err
	}
	res, err := c.Do(req)
	if err != nil {
		return hello, kedge.Errorf(kedge.KindOf(err), "cannot ask the daemon for its version and process id: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return hello, kedge.Errorf(kedge.Internal, "the daemon answered with the error %s", res.Status)
	}
	if err := json.NewDecoder(res.Body).Decode(&hello); err != nil {
		return hello, kedge.Errorf(kedge.Internal, "cannot read the daemon's answer: %w", err)
	}
	return hello, nil
}

// Stop asks the daemon of home to stop and waits until it is gone: its lock is
// free, or another's already, whom somebody who waits for an answer has started.
// It is NotFound when there is none.
func Stop(ctx context.Context, home string) error {
	c, err := Dial(ctx, home)
	if err != nil {
		return err
	}
	old, err := Ask(ctx, c)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, BaseURL+stopPath, nil)
	if err != nil {
		return err
	}
	res, err := c.Do(req)
	if err != nil {
		return kedge.Errorf(kedge.KindOf(err), "cannot ask the daemon to stop: %w", err)
	}
	_ = res.Body.Close() // and its connection, or the daemon would wait for it
	if res.StatusCode == http.StatusForbidden {
		return kedge.Errorf(kedge.Blocked, "this is a session, and agents may not stop the daemon").WithHint("ask the user to run: kedge down")
	}
	for range ticks(ctx) {
		if held, err := Held(home); err != nil || !held {
			return err
		}
		if now := readPID(home); now != 0 && now != old.PID {
			return nil
		}
	}
	return kedge.Errorf(kedge.Interrupted, "the daemon of the state folder %q has not stopped yet: %w", home, context.Cause(ctx))
}

// readPID gives the pid that the present daemon wrote down; 0 when there is none.
func readPID(home string) int {
	b, err := os.ReadFile(pidFile(home))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return pid
}

// ticks yields at once and then after growing pauses until ctx ends.
func ticks(ctx context.Context) func(yield func() bool) {
	return func(yield func() bool) {
		const first, last = 5 * time.Millisecond, 100 * time.Millisecond
		for pause := first; ctx.Err() == nil; pause = min(pause*3/2, last) {
			if !yield() {
				return
			}
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
		}
	}
}
