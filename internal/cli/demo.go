package cli

import (
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/demo"
)

func newDemo(env *Env) *cobra.Command {
	var (
		dir      string
		features int
	)
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show the whole story in about a minute: no model, no key, no network",
		Long: `Makes a small Go project in a temporary folder and lets kedge run take thirty
features of it to verified done with a scripted agent. On the way the agent lies,
weakens a test and hangs, and the daemon and an agent are killed with kill -9.
Then the same script is played in one long session, whose context overflows.
Everything has its own KEDGE_HOME and is gone afterwards.`,
		Example: "  kedge demo\n  kedge demo --dir /tmp/shop    keep everything there",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := positive(c, "features", features, 30); err != nil {
				return err
			}
			at, gone, err := demoFolder(dir)
			if err != nil {
				return err
			}
			defer gone()
			exe, err := os.Executable()
			if err != nil {
				return kedge.Errorf(kedge.Internal, "find this program: %w", err)
			}
			out, err := demo.Run(c.Context(), demo.Config{Program: exe, Dir: at, Environ: env.Environ, Features: features, Say: env.talk})
			if err != nil {
				return err
			}
			if err := env.show(out, func(w io.Writer) { out.Text(w) }); err != nil {
				return err
			}
			env.talk("in %.0f seconds; in a repository of yours it begins with: kedge init", out.Seconds)
			if env.Look != nil && !env.Look("kedge") {
				env.talk("to call it by its name: export PATH=\"%s:$PATH\"; for good, from Kedge's own folder: make install", filepath.Dir(exe))
			}
			return nil
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "an empty folder, which stays (default: a temporary one, which goes)")
	c.Flags().IntVar(&features, "features", 0, "how many features (default 30)")
	return c
}

// demoFolder is the folder of a demo, and what takes it away again.
func demoFolder(dir string) (string, func(), error) {
	if dir == "" {
		at, err := os.MkdirTemp("", "kedge-demo-")
		if err != nil {
			return "", nil, kedge.Errorf(kedge.Internal, "make a folder: %w", err)
		}
		return at, func() { _ = os.RemoveAll(at) }, nil // what cannot be removed lies in the temporary folder
	}
	at, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(at, 0o700)
	}
	if err != nil {
		return "", nil, kedge.Errorf(kedge.Invalid, "make the folder %q: %w", dir, err)
	}
	if entries, err := os.ReadDir(at); err != nil || len(entries) > 0 {
		return "", nil, kedge.Errorf(kedge.Conflict, "the folder %q is not empty", dir).WithHint("kedge demo --dir ANOTHER")
	}
	return at, func() {}, nil
}
