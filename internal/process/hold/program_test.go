package hold_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// program is what the tests hold.
func program(name string, args []string) int {
	switch name {
	case "echo":
		return echo()
	case "count":
		for i := 1; ; i++ {
			if _, err := fmt.Printf("line %d\n", i); err != nil {
				return 1
			}
			<-time.After(time.Millisecond)
		}
	case "flood":
		n, _ := strconv.Atoi(args[0])
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		flood(os.Stdout, n)
		return 0
	case "brood":
		return brood(args[0], args[1])
	case "stubborn":
		return stubborn(args[0])
	case "compute":
		return compute()
	case "eat":
		return eat()
	case "proper":
		return proper()
	case "shell":
		return shell()
	case "ignored":
		return ignored()
	case "decoy":
		return forever()
	}
	return 2
}

// echo says its size, then what it reads.
func echo() int {
	size := func() {
		if ws, err := unix.IoctlGetWinsize(0, unix.TIOCGWINSZ); err == nil {
			fmt.Printf("size %dx%d\n", ws.Col, ws.Row)
		}
	}
	winch := make(chan os.Signal, 8)
	signal.Notify(winch, syscall.SIGWINCH)
	go func() {
		for range winch {
			size()
		}
	}()
	size()
	fmt.Println("ready")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if in.Text() == "quit" {
			return 7
		}
		fmt.Println("got", in.Text())
	}
	return 0
}

// brood starts a child, a grandchild that loses its parent, and one in a session
// of its own; all ignore what they can.
func brood(file, how string) int {
	ignore()
	note(file)
	exe, _ := os.Executable()
	for _, args := range [][]string{
		{exe, "program", "stubborn", file},
		{"/bin/sh", "-c", `"$0" program stubborn "$1" & exit 0`, exe, file},
	} {
		c := exec.Command(args[0], args[1:]...)
		if c.Start() != nil {
			return 1
		}
		go func() { _ = c.Wait() }()
	}
	c := exec.Command(exe, "program", "stubborn", file)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if c.Start() != nil {
		return 1
	}
	if how == "exits by itself" {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		return 0
	}
	return forever()
}

// ignored says which signals that end a program were ignored when it started.
func ignored() int {
	var names []string
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGPIPE, syscall.SIGTERM} {
		if signal.Ignored(sig) {
			names = append(names, sig.String())
		}
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	fmt.Println("ignored:", strings.Join(names, ", "))
	return 0
}

// proper ends in order when it is interrupted.
func proper() int {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	fmt.Println("ready")
	<-c
	return 0
}

// shell ends as one that waits for its person does: when its terminal is closed.
func shell() int {
	signal.Ignore(syscall.SIGTERM)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT)
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	fmt.Println("ready")
	<-c
	return 5
}

func stubborn(file string) int {
	ignore()
	note(file)
	return forever()
}

// forever waits without looking to the runtime like a deadlock.
func forever() int {
	for {
		<-time.After(time.Hour)
	}
}

func ignore() {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
}

// note adds this process to the list in file, in one write.
func note(file string) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = fmt.Fprintln(f, os.Getpid())
}

// startDecoy starts a stranger that looks like a held program.
func startDecoy(t *testing.T) int {
	t.Helper()
	c := exec.Command(self(t), "program", "decoy")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	return c.Process.Pid
}

// startOf is a process's start time as the system counts it.
func startOf(t *testing.T, pid int) uint64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Skip("no /proc here")
	}
	f := strings.Fields(string(b[strings.LastIndex(string(b), ")")+1:]))
	n, err := strconv.ParseUint(f[19], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// compute uses a little more processor time than the test looks for, then waits.
func compute() int {
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	var u unix.Rusage
	for u.Utime.Nano() < int64(200*time.Millisecond) {
		if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
			return 1
		}
	}
	return forever()
}

// eat takes memory until it is stopped.
func eat() int {
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	for {
		b, err := unix.Mmap(-1, 0, 16<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		if err != nil {
			return 1
		}
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
	}
}
