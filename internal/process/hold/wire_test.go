package hold_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"kedge/internal/process/hold"
)

// TestFrozen holds the bytes of every frame: a change here breaks holders that
// already run.
func TestFrozen(t *testing.T) {
	hello, err := hold.NewJSON(hold.VerbHello, hold.Greeting{
		Protocol: hold.Protocol, Verbs: hold.Verbs, Session: "ses-1", Holder: hold.Process{PID: 2, Start: 3}, Child: hold.Process{PID: 4, Start: 5}, Boot: "b",
	})
	if err != nil {
		t.Fatal(err)
	}
	report, err := hold.NewJSON(hold.VerbReport, hold.State{Running: true, End: 1, Lost: 2, Input: 3, Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	ended, err := hold.NewJSON(hold.VerbEnded, hold.State{Exit: &hold.Exit{Code: 1, Signal: 9, Cause: "killed", At: 5}})
	if err != nil {
		t.Fatal(err)
	}
	fail, err := hold.NewJSON(hold.VerbFail, hold.Failure{Kind: "invalid", Message: "no"})
	if err != nil {
		t.Fatal(err)
	}
	values, err := hold.NewJSON(hold.VerbValues, []string{"A=1", ""})
	if err != nil {
		t.Fatal(err)
	}
	attach, err := hold.NewJSON(hold.VerbAttach, hold.Viewer{Cols: 80, Rows: 24, Watch: true, Typed: true})
	if err != nil {
		t.Fatal(err)
	}
	role, err := hold.NewJSON(hold.VerbRole, hold.Role{At: 7, Cols: 80, Rows: 24, Owns: true, Answers: true, Others: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		f    hold.Frame
		want string
	}{
		{attach, `T\x00\x00\x00/{"cols":80,"rows":24,"watch":true,"typed":true}`},
		{role, `t\x00\x00\x00B{"at":7,"cols":80,"rows":24,"owns":true,"answers":true,"others":2}`},
		{hello, `h\x00\x00\x00{{"protocol":1,"verbs":"SICRKEFDQVAT","session":"ses-1","holder":{"pid":2,"start":3},"child":{"pid":4,"start":5},"boot":"b"}`},
		{report, `s\x00\x00\x00K{"running":true,"end":1,"lost":2,"input":3,"cols":80,"rows":24,"exit":null}`},
		{ended, `x\x00\x00\x00s{"running":false,"end":0,"lost":0,"input":0,"cols":0,"rows":0,"exit":{"code":1,"signal":9,"cause":"killed","at":5}}`},
		{fail, `e\x00\x00\x00!{"kind":"invalid","message":"no"}`},
		{hold.Frame{Type: hold.VerbOK}, `o\x00\x00\x00\x00`},
		{hold.Frame{Type: hold.VerbStatus}, `S\x00\x00\x00\x00`},
		{hold.Frame{Type: hold.VerbClose}, `C\x00\x00\x00\x00`},
		{hold.Frame{Type: hold.VerbFollow}, `F\x00\x00\x00\x00`},
		{hold.Frame{Type: hold.VerbRedraw}, `D\x00\x00\x00\x00`},
		{hold.Frame{Type: hold.VerbQuit}, `Q\x00\x00\x00\x00`},
		{hold.Frame{Type: hold.VerbEnviron}, `V\x00\x00\x00\x00`},
		{values, `v\x00\x00\x00\n["A=1",""]`},
		{hold.NewInput(2, 7, []byte("hi")), `I\x00\x00\x00\x12\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\ahi`},
		{hold.NewResize(80, 24), `R\x00\x00\x00\x04\x00P\x00\x18`},
		{hold.NewSignal(2), `K\x00\x00\x00\x01\x02`},
		{hold.NewEnd(500), `E\x00\x00\x00\x04\x00\x00\x01\xf4`},
		{hold.NewGrown(258), `g\x00\x00\x00\b\x00\x00\x00\x00\x00\x00\x01\x02`},
	} {
		var b bytes.Buffer
		if err := hold.WriteFrame(&b, tc.f); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%q", b.String()); got != `"`+escape(tc.want)+`"` {
			t.Errorf("frame %c is %s", tc.f.Type, got)
		}
		again, err := hold.ReadFrame(&b)
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
		if _, err := hold.ReadFrame(bytes.NewReader([]byte(in))); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := hold.ReadFrame(bytes.NewReader(nil)); !errors.Is(err, io.EOF) {
		t.Errorf("an empty stream: %v", err)
	}
	if err := hold.WriteFrame(io.Discard, hold.Frame{Payload: make([]byte, hold.MaxPayload+1)}); err == nil {
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
			fr, err := hold.ReadFrame(r)
			if err != nil {
				break
			}
			_, _, _, _ = fr.InputOf()
			_, _, _ = fr.ResizeOf()
			_, _ = fr.SignalOf()
			_, _ = fr.EndOf()
			_, _ = fr.GrownOf()
			_ = fr.Into(new(hold.State))
			if err := hold.WriteFrame(&out, fr); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.HasPrefix(in, out.Bytes()) {
			t.Fatalf("%q became %q", in, out.Bytes())
		}
	})
}
