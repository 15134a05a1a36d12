package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"kedge/internal/process/wire"
)

// TestFrozen holds the bytes of every frame: a change here breaks holders that
// already run.
func TestFrozen(t *testing.T) {
	hello, err := wire.JSON(wire.Hello, wire.Greeting{
		Protocol: wire.Protocol, Verbs: wire.Verbs, Session: "ses-1", Holder: wire.Process{PID: 2, Start: 3}, Child: wire.Process{PID: 4, Start: 5}, Boot: "b",
	})
	if err != nil {
		t.Fatal(err)
	}
	report, err := wire.JSON(wire.Report, wire.State{Running: true, End: 1, Lost: 2, Input: 3, Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	ended, err := wire.JSON(wire.Ended, wire.State{Exit: &wire.Exit{Code: 1, Signal: 9, Cause: "killed", At: 5}})
	if err != nil {
		t.Fatal(err)
	}
	fail, err := wire.JSON(wire.Fail, wire.Failure{Kind: "invalid", Message: "no"})
	if err != nil {
		t.Fatal(err)
	}
	values, err := wire.JSON(wire.Values, []string{"A=1", ""})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		f    wire.Frame
		want string
	}{
		{hello, `h\x00\x00\x00z{"protocol":1,"verbs":"SICRKEFDQVA","session":"ses-1","holder":{"pid":2,"start":3},"child":{"pid":4,"start":5},"boot":"b"}`},
		{report, `s\x00\x00\x00K{"running":true,"end":1,"lost":2,"input":3,"cols":80,"rows":24,"exit":null}`},
		{ended, `x\x00\x00\x00s{"running":false,"end":0,"lost":0,"input":0,"cols":0,"rows":0,"exit":{"code":1,"signal":9,"cause":"killed","at":5}}`},
		{fail, `e\x00\x00\x00!{"kind":"invalid","message":"no"}`},
		{wire.Frame{Type: wire.OK}, `o\x00\x00\x00\x00`},
		{wire.Frame{Type: wire.Status}, `S\x00\x00\x00\x00`},
		{wire.Frame{Type: wire.Close}, `C\x00\x00\x00\x00`},
		{wire.Frame{Type: wire.Follow}, `F\x00\x00\x00\x00`},
		{wire.Frame{Type: wire.Redraw}, `D\x00\x00\x00\x00`},
		{wire.Frame{Type: wire.Quit}, `Q\x00\x00\x00\x00`},
		{wire.Frame{Type: wire.Environ}, `V\x00\x00\x00\x00`},
		{values, `v\x00\x00\x00\n["A=1",""]`},
		{wire.NewInput(2, 7, []byte("hi")), `I\x00\x00\x00\x12\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\ahi`},
		{wire.NewResize(80, 24), `R\x00\x00\x00\x04\x00P\x00\x18`},
		{wire.NewSignal(2), `K\x00\x00\x00\x01\x02`},
		{wire.NewEnd(500), `E\x00\x00\x00\x04\x00\x00\x01\xf4`},
		{wire.NewGrown(258), `g\x00\x00\x00\b\x00\x00\x00\x00\x00\x00\x01\x02`},
	} {
		var b bytes.Buffer
		if err := wire.Write(&b, tc.f); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%q", b.String()); got != `"`+escape(tc.want)+`"` {
			t.Errorf("frame %c is %s", tc.f.Type, got)
		}
		again, err := wire.Read(&b)
		if err != nil || again.Type != tc.f.Type || !bytes.Equal(again.Payload, tc.f.Payload) {
			t.Errorf("frame %c is read as %v, %v", tc.f.Type, again, err)
		}
	}
}

// escape puts a backslash before the quotes of the JSON, as %q does.
func escape(s string) string {
	return string(bytes.ReplaceAll([]byte(s), []byte(`"`), []byte(`\"`)))
}

func TestT20HostileFrames(t *testing.T) {
	for name, in := range map[string]string{
		"too long":    "I\xff\xff\xff\xffx",
		"cut payload": "I\x00\x00\x00\x09x",
		"cut head":    "I\x00",
	} {
		if _, err := wire.Read(bytes.NewReader([]byte(in))); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := wire.Read(bytes.NewReader(nil)); !errors.Is(err, io.EOF) {
		t.Errorf("an empty stream: %v", err)
	}
	if err := wire.Write(io.Discard, wire.Frame{Payload: make([]byte, wire.MaxPayload+1)}); err == nil {
		t.Error("a frame that is too long was sent")
	}
}

// FuzzRead: whatever comes, reading gives frames that can be sent again, and no
// request's payload makes its reader panic.
func FuzzRead(f *testing.F) {
	f.Add([]byte("I\x00\x00\x00\x0a\x00\x00\x00\x00\x00\x00\x00\x07hi"))
	f.Add([]byte("s\x00\x00\x00\x02{}R\x00\x00\x00\x04\x00P\x00\x18"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := bytes.NewReader(in)
		var out bytes.Buffer
		for {
			fr, err := wire.Read(r)
			if err != nil {
				break
			}
			_, _, _, _ = fr.InputOf()
			_, _, _ = fr.ResizeOf()
			_, _ = fr.SignalOf()
			_, _ = fr.EndOf()
			_, _ = fr.GrownOf()
			_ = fr.Into(new(wire.State))
			if err := wire.Write(&out, fr); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.HasPrefix(in, out.Bytes()) {
			t.Fatalf("%q became %q", in, out.Bytes())
		}
	})
}
