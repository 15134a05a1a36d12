package hold_test

import "testing"

// TestFollowCollected: whoever follows a session that ended learns its end and
// its length, also when its holder was let go before.
func TestFollowCollected(t *testing.T) {
	s := spec(t, true, "echo")
	c := start(t, s)
	says(t, s.Dir, "size 80x24")
	if err := c.Input(ctx(t), 1, 1, []byte("quit\n")); err != nil {
		t.Fatal(err)
	}
	first := toEnd(t, c)
	if err := c.Collect(ctx(t)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the holder is gone", func() bool { return !lives(c.Greeting.Holder.PID) })
	told := int64(-1)
	last, err := c.Follow(ctx(t), func(end int64) error { told = end; return nil })
	if err != nil || last.Running || last.Exit == nil || last.Exit.Code != 7 || last.End != first.End || told != first.End {
		t.Errorf("%+v, %v; told of %d bytes, want %d", last, err, told, first.End)
	}
}
