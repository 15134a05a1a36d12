package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"kedge"
)

// boundedLog keeps the beginning and the end of an output and says how much is
// missing between them: failures stand at either. Memory is bounded by the ring.
type boundedLog struct {
	f       *os.File
	room    int64 // bytes that may still go to the file at once
	ring    []byte
	size    int
	next    int // where the ring goes on
	bytes   int64
	held    int64 // bytes that went to the ring
	dropped int64
	err     error // the first failure to write; output is drained all the same
}

// maxRing bounds the end that is kept of an output over its limit.
const maxRing = 1 << 20

// OpenLog makes a private log anew, never through a link.
func OpenLog(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot open the log of a command: %w", err)
	}
	if err := f.Chmod(0o600); err != nil {
		return nil, errors.Join(kedge.Errorf(kedge.Internal, "cannot open the log of a command: %w", err), f.Close())
	}
	return f, nil
}

// Missing is what a log says where n bytes of the output are not kept.
func Missing(n int64) string { return fmt.Sprintf("\n[kedge: %d bytes of output are not kept]\n", n) }

func openLog(path string, limit int64) (*boundedLog, error) {
	f, err := OpenLog(path)
	if err != nil {
		return nil, err
	}
	size := min(limit/4, maxRing)
	return &boundedLog{f: f, room: limit - size, size: int(size)}, nil
}

// drain copies the output until the last writer is gone.
func (p *Proc) drain() error {
	buf := make([]byte, 64<<10)
	for {
		n, err := p.out.Read(buf)
		p.log.add(buf[:n])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return kedge.Errorf(kedge.Internal, "%q has ended, but a process that it started keeps its output open", p.spec.Line)
		}
		if err != nil {
			return kedge.Errorf(kedge.Internal, "cannot read the output of the command: %w", err)
		}
	}
}

func (l *boundedLog) add(b []byte) {
	l.bytes += int64(len(b))
	n := min(int64(len(b)), l.room)
	l.write(b[:n])
	l.room -= n
	l.hold(b[n:])
}

// write never stops the caller: an output that cannot be kept is still counted.
func (l *boundedLog) write(b []byte) {
	if l.err != nil || len(b) == 0 {
		return
	}
	if _, err := l.f.Write(b); err != nil {
		l.err = kedge.Errorf(kedge.Internal, "cannot write the log of a command: %w", err).WithHint("see whether the disk is full: df -h %s", l.f.Name())
	}
}

func (l *boundedLog) hold(b []byte) {
	l.held += int64(len(b))
	if len(b) > l.size {
		b = b[len(b)-l.size:]
	}
	for len(b) > 0 && l.size > 0 {
		if len(l.ring) < l.size {
			n := min(len(b), l.size-len(l.ring))
			l.ring, b = append(l.ring, b[:n]...), b[n:]
			l.next = len(l.ring) % l.size
			continue
		}
		n := copy(l.ring[l.next:], b)
		l.next, b = (l.next+n)%l.size, b[n:]
	}
}

// Close writes what the ring holds, and between the two parts what is missing.
func (l *boundedLog) Close() error {
	l.dropped = l.held - int64(len(l.ring))
	if l.dropped > 0 {
		l.write([]byte(Missing(l.dropped)))
	}
	if len(l.ring) == l.size {
		l.write(l.ring[l.next:])
		l.write(l.ring[:l.next])
	} else {
		l.write(l.ring)
	}
	if l.err == nil {
		l.err = l.f.Sync()
	}
	return errors.Join(l.err, l.f.Close())
}
