package supply

import (
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/brief"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
)

// searchedMeanwhile bounds the commits among which those are looked for that changed a file.
const searchedMeanwhile = 500

// conflict fills in what a session has to know of work at its feature that could not be
// merged: the files, who changed them meanwhile, and where the work is.
func (b Writer) conflict(ctx context.Context, c run.Command, at engine.Position, rules config.MergeRules, in *brief.RunInput) error {
	if at.Conflict == nil {
		return nil
	}
	repo, err := b.s.home.Git(ctx, b.p)
	if err != nil {
		return err
	}
	log, err := repo.Meanwhile(ctx, at.Conflict.From, c.Base, searchedMeanwhile)
	if err != nil {
		return err
	}
	k := at.Conflict
	out := brief.Conflict{From: k.From, Work: k.Work, Carried: k.Carried, Why: k.Why, Salvage: k.Salvage}
	for _, p := range k.All() {
		f := brief.ConflictFile{Path: git.Quoted(p), By: changers(log, p)}
		if slices.Contains(k.Kept, p) {
			rule, _ := rules.For(p)
			f.Make = rule.Run
		}
		if f.Marked, err = marked(ctx, repo, at.Tree, p); err != nil {
			return err
		}
		out.Files = append(out.Files, f)
	}
	in.Conflict = &out
	if strings.HasPrefix(c.Failure, run.ConflictsWith) {
		in.Failure = "" // all of it is in the conflict
	}
	return nil
}

// marked tells whether a file has conflict markers in a tree.
func marked(ctx context.Context, repo *git.Repo, tree, path string) (bool, error) {
	if tree == "" {
		return false, nil
	}
	text, err := repo.ReadFile(ctx, tree, path)
	if kedge.NotFound.Is(err) || kedge.Invalid.Is(err) {
		return false, nil
	}
	return gate.HasMarkers(text), err
}

// changers are the commits of a log that changed a file, each with the feature that it is for.
func changers(log []git.Logged, path string) []brief.Done {
	var out []brief.Done
	for _, c := range log {
		if !slices.Contains(c.Files, path) {
			continue
		}
		d := brief.Done{Commit: c.SHA, Subject: c.Subject}
		if id := (git.CommitInfo{Message: c.Message}).Trailer("Kedge-Feature"); id != "" {
			d.Subject = "feature " + id + ": " + c.Subject
		}
		out = append(out, d)
	}
	return out
}
