package ledger

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/ledger"
	"kedge/internal/cli/frame"
	"kedge/internal/core/plan"
	"kedge/internal/text/plain"
)

// Features is kedge features.
func Features(env *frame.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "features",
		Short:   "List the features, or import and export feature lists",
		Example: "  kedge features                        every feature with its status\n  kedge features import feature_list.json\n  kedge features export --format anthropic > feature_list.json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return frame.Ask(c.Context(), env, "features", features.ListRequest{}, func(w io.Writer, reply featureList) {
				if len(reply.Features) == 0 {
					env.Talk("there are no features yet; to add one: kedge feature add --help; to import a list: kedge features import FILE; to plan a goal: kedge plan --help")
				}
				featuresTable(w, reply.Features)
			})
		},
	}
	c.AddCommand(newFeaturesImport(env), newFeaturesExport(env))
	return c
}

// featureList is what a table shows of app.FeaturesReply. To learn to read
// the rest of a feature would take longer than to make its table.
type featureList struct {
	Features []featureRow `json:"features"`
	Why      string       `json:"why"`
}

type featureRow struct {
	ID       kedge.FeatureID `json:"id"`
	Status   kedge.Status    `json:"status"`
	Priority int             `json:"priority"`
	Name     string          `json:"name"`
}

func rowOf(f kedge.Feature) featureRow {
	return featureRow{ID: f.ID, Status: f.Status, Priority: f.Priority, Name: f.Name}
}

// featuresTable is a list with the names of its columns; nothing where it is empty.
func featuresTable(w io.Writer, features []featureRow) {
	if len(features) > 0 {
		featureRows(w, [4]string{"ID", "STATUS", "PRIORITY", "NAME"}, features)
	}
}

// featureLine is one feature, after something was done to it.
func featureLine(w io.Writer, f kedge.Feature) { featureRows(w, [4]string{}, []featureRow{rowOf(f)}) }

func featureRows(w io.Writer, titles [4]string, features []featureRow) {
	t := frame.Table{Columns: []frame.Column{{Title: titles[0]}, {Title: titles[1]}, {Title: titles[2], Drop: 1}, {Title: titles[3], Least: 20}}}
	for _, f := range features {
		t.Add(frame.Cell{Text: string(f.ID), Role: frame.Name}, frame.Cell{Text: string(f.Status), Role: statusRole(f.Status)},
			frame.Cell{Text: strconv.Itoa(f.Priority)}, frame.Cell{Text: f.Name})
	}
	t.Print(w)
}

// statusRole is what a feature's status means to you.
func statusRole(s kedge.Status) frame.Role {
	switch s {
	case kedge.Completed:
		return frame.Verified
	case kedge.NeedsReview:
		return frame.Waits
	case kedge.BlockedWork, kedge.Regressed:
		return frame.Failed
	case kedge.Skipped:
		return frame.Quiet
	}
	return frame.Plain
}

// maxImport is more than any feature list needs.
const maxImport = 16 << 20

func newFeaturesImport(env *frame.Env) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Import a feature list: Kedge's, a plain one, or feature_list.json",
		Long: `Import a feature list. Kedge recognises these formats by itself:

  kedge      .kedge/features.json, with version, definitions and checks
  seed       the plain form: an object with a list of features, each with an
             id, a name, a status, and optionally dependencies, files, notes
             and completedAt:
             {"features": [{"id": "orders", "name": "Orders",
               "status": "pending", "dependencies": ["users"], "files": [],
               "notes": ""}]}
  anthropic  feature_list.json, an array:
             [{"category", "description", "steps", "passes"}]

Every imported feature starts as pending. If the list says that a feature is
completed, Kedge takes this as a claim and verifies it. A feature that the list
calls skipped stays skipped. Existing features with the same definition keep
their status, and Kedge names them. If the list has no version, Kedge assumes
version 1. Kedge keeps unknown keys in the notes of the feature and prints
them. It generates missing ids.`,
		Example: "  kedge features import feature_list.json\n  some-tool | kedge features import -",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			b, err := frame.ReadInput(env, args[0], maxImport)
			if err != nil {
				return err
			}
			reply, err := frame.Call[features.ImportReply](c.Context(), env, "features.import",
				features.ImportRequest{File: args[0], Format: format, Text: string(b)})
			if err != nil {
				return err
			}
			env.Aside(reply.Notices)
			for _, f := range reply.Findings {
				env.Talk("%s: %s", f.Where, f.What)
			}
			claimed(env, reply.Claimed)
			return env.Changed(c.Context(), env.Show(reply, func(w io.Writer) {
				fmt.Fprintf(w, "%d added, %d already in Kedge's list\n", len(reply.Added), len(reply.Unchanged))
				importText(w, reply)
			}))
		},
	}
	c.Flags().StringVar(&format, "format", "", "the `format`: anthropic, kedge or seed (default: recognise it)")
	frame.CompleteFlag(c, "format", listFormats())
	return c
}

// importText says what became of features that are not simply pending now.
func importText(w io.Writer, r features.ImportReply) {
	if n := len(r.Skipped); n > 0 {
		fmt.Fprintf(w, "%d skipped, because the list says so; to build one of them: kedge feature reopen %s\n", n, r.Skipped[0])
	}
	counts := map[kedge.Status]int{}
	for _, f := range r.Left {
		counts[f.Status]++
	}
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
	}
	if len(parts) > 0 {
		fmt.Fprintf(w, "unchanged: %s\n", strings.Join(parts, ", "))
	}
}

// listFormats completes the formats of a feature list.
func listFormats() cobra.CompletionFunc {
	return frame.OneOf(plan.FormatAnthropic, plan.FormatKedge, plan.FormatSeed)
}

// claimed says what becomes of a list's word that something is done.
func claimed(env *frame.Env, list []kedge.FeatureID) {
	if n := len(list); n == 1 {
		env.Talk("1 feature was marked as done in the list; let Kedge verify it: kedge feature submit %s", list[0])
	} else if n > 1 {
		env.Talk("%d features were marked as done in the list; let Kedge verify each of them, beginning with: kedge feature submit %s", n, list[0])
	}
}

func newFeaturesExport(env *frame.Env) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:     "export",
		Short:   "Print the feature list in another program's format",
		Example: "  kedge features export --format anthropic > feature_list.json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			reply, err := frame.Call[features.ExportReply](c.Context(), env, "features.export", features.ExportRequest{Format: format})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(env.Out, "%s", plain.JSON([]byte(reply.Text))) // JSON with and without --json
			return err
		},
	}
	c.Flags().StringVar(&format, "format", "kedge", "the `format`: anthropic, kedge or seed (described in kedge features import --help)")
	frame.CompleteFlag(c, "format", listFormats())
	return c
}

// placeOf says where something stands that was written down: in its file; or, while
// that waits for the work of a run, where else it can be read.
func placeOf(file string, held []ledger.UnlandedFile, show string) string {
	for _, h := range held {
		if h.Path != file {
			continue
		}
		if h.Show != "" {
			show = h.Show
		}
		place := "Kedge's own record"
		if show != "" {
			place += " (see it: " + plain.Line(show) + ")"
		}
		return place + "; Kedge writes " + plain.Line(file) + " when the work of the run has landed"
	}
	return plain.Line(file)
}
