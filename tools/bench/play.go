package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"kedge/internal/process"
)

// play is what this program does inside a session.
func play(args []string) (code int, played bool) {
	if len(args) < 2 || args[0] != "play" {
		return 0, false
	}
	var err error
	switch args[1] {
	case "cat":
		err = playCat(args[2], args[3])
	case "echo":
		err = playEcho()
	case "idle":
		err = playIdle(args[2], args[3])
	case "screen":
		err = playScreen(args[2])
	case "peak":
		err = playPeak(args[2:])
	}
	if err != nil {
		return 1, true
	}
	return 0, true
}

// playCat prints a file and writes down how long that took.
func playCat(file, took string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	d, err := timed(func() error { _, err := io.Copy(os.Stdout, f); return err })
	if err != nil {
		return err
	}
	return writeWhole(took, strconv.FormatInt(int64(d), 10))
}

// playEcho gives back every byte as it comes.
func playEcho() error {
	if t, ok := process.OpenTerminal(os.Stdin, os.Stdout); ok {
		if _, err := t.Raw(); err != nil {
			return err
		}
	}
	fmt.Print("ready")
	b := make([]byte, 1)
	for {
		if _, err := os.Stdin.Read(b); err != nil {
			return err
		}
		if _, err := os.Stdout.Write(b); err != nil {
			return err
		}
	}
}

// playIdle prints lines, says that it has, and waits for the end of its input.
func playIdle(lines, done string) error {
	n, err := strconv.Atoi(lines)
	if err != nil {
		return err
	}
	for i := range n {
		fmt.Printf("line %d of the history of a session that does nothing any more\n", i)
	}
	if err := writeWhole(done, "done"); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// writeWhole makes a file that is never seen half written.
func writeWhole(path, text string) error {
	if err := os.WriteFile(path+".part", []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}
