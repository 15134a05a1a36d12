package vt

import (
	"bytes"
	"fmt"
	"testing"
)

// feeds are what a terminal is given most: plain text, and what real programs print.
func feeds(t testing.TB) map[string][]byte {
	out := map[string][]byte{}
	var text bytes.Buffer
	for i := 0; text.Len() < 1<<20; i++ {
		fmt.Fprintf(&text, "%08d worker handled request in %d ms, and all went well with it\r\n", i, i%977)
	}
	out["text"] = text.Bytes()
	for _, r := range recordings(t) {
		if r.name == "vim" || r.name == "codex" || r.name == "gemini" {
			out[r.name] = r.raw
		}
	}
	return out
}

func BenchmarkWrite(b *testing.B) {
	for name, feed := range feeds(b) {
		b.Run(name, func(b *testing.B) {
			term := New(100, 30)
			b.SetBytes(int64(len(feed)))
			b.ReportAllocs()
			for b.Loop() {
				for from := 0; from < len(feed); from += 16 << 10 {
					_, _ = term.Write(feed[from:min(from+16<<10, len(feed))])
				}
			}
		})
	}
}
