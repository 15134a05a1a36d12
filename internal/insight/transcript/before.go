package transcript

import (
	"bufio"
	"bytes"
	"io"
)

// firstLines reads the first lines of a reader and ends behind them.
type firstLines struct {
	r    *bufio.Reader
	left int  // lines to come
	n    int  // lines that came, a last one without its end too
	open bool // the last byte ended no line
}

// newFirstLines unpacks what is gzip: its lines are those of what is in it.
func newFirstLines(r io.Reader, lines int) (*firstLines, error) {
	b, err := unzipped((&Room{}).From(r))
	return &firstLines{r: b, left: lines}, err
}

// Read implements io.Reader.
func (f *firstLines) Read(p []byte) (int, error) {
	if f.left <= 0 || len(p) == 0 {
		return 0, io.EOF
	}
	n, err := f.r.Read(p)
	for i := 0; i < n; {
		if !f.open {
			f.n++
			f.open = true
		}
		j := bytes.IndexByte(p[i:n], '\n')
		if j < 0 {
			break
		}
		i += j + 1
		f.open = false
		if f.left--; f.left == 0 {
			return i, nil
		}
	}
	return n, err
}
