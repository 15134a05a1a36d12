package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"kedge"
	"kedge/internal/testkit/gittest"
)

func TestProjectID(t *testing.T) {
	r := gittest.New(t)
	g, ctx := r.Open(), t.Context()
	if id, err := g.ProjectID(); id != "" || err != nil {
		t.Errorf("a fresh repository is %q, %v", id, err)
	}
	id := kedge.ProjectID(kedge.NewID("prj", gittest.Day))
	r.Must(g.SetProjectID(ctx, id))
	r.Must(g.SetProjectID(ctx, id))
	if got, err := g.ProjectID(); got != id || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	gittest.WantKind(t, g.SetProjectID(ctx, kedge.ProjectID(kedge.NewID("prj", gittest.Day))), kedge.Conflict, string(id))
	gittest.WantKind(t, g.SetProjectID(ctx, "prj-x"), kedge.Invalid, "prj-x")
	r.Must(os.WriteFile(filepath.Join(g.CommonDir(), "kedge-id"), []byte("../x\n"), 0o644))
	_, err := g.ProjectID()
	gittest.WantKind(t, err, kedge.Invalid, "kedge-id:1")
}
