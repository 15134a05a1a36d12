package history

import (
	"context"
	"strings"

	"kedge"
	"kedge/internal/git/hardened"
)

// UpdateRef moves a ref from old to new, or not at all: Conflict when it does
// not stand at old. An empty old means that it must not exist; an empty new
// removes it. Moving it to where it already is does nothing.
func (r *Repo) UpdateRef(ctx context.Context, ref, to, old string) error {
	if err := hardened.CheckRef(ref); err != nil {
		return err
	}
	for _, sha := range []string{to, old} {
		if sha == "" {
			continue
		}
		if err := hardened.CheckSHA("commit", sha); err != nil {
			return err
		}
	}
	return r.g.Exclusively(ctx, func(ctx context.Context) error { return r.moveRef(ctx, ref, to, old) })
}

// moveRef is UpdateRef for a valid name, HEAD included, under the lock.
func (r *Repo) moveRef(ctx context.Context, ref, to, old string) error {
	now, err := r.refValue(ctx, ref)
	if err != nil || now == to {
		return err
	}
	zero := strings.Repeat("0", r.g.SHALen())
	args := []string{"update-ref", "--end-of-options", ref, to, old}
	if old == "" {
		args[4] = zero
	}
	if to == "" {
		args = []string{"update-ref", "-d", "--end-of-options", ref, args[4]}
	}
	_, err = r.g.Do(ctx, args...)
	if hardened.StderrHas(err, "but expected", "already exists", "unable to resolve reference") {
		return kedge.Errorf(kedge.Conflict, "something moved %q: it is at %s now, and Kedge expected %s", ref, hardened.OrNone(now), hardened.OrNone(old)).
			WithHint("see its newest commits: git log --oneline -5 %s", hardened.Quote(ref))
	}
	return err
}

// refValue is what a ref stands at; empty when it does not exist.
func (r *Repo) refValue(ctx context.Context, ref string) (string, error) {
	if sha, ok := r.looseRef(ref); ok {
		return sha, nil
	}
	if r.noRef(ref) {
		return "", nil
	}
	out, err := r.g.Do(ctx, "rev-parse", "-q", "--verify", "--end-of-options", ref)
	if hardened.ExitCode(err) == 1 || hardened.ExitCode(err) == 128 {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

// Refs gives what every ref of the repository stands at, by name.
func (r *Repo) Refs(ctx context.Context) (map[string]string, error) {
	out, err := r.g.Do(ctx, "for-each-ref", "--format=%(refname) %(objectname)")
	refs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if name, sha, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			refs[name] = sha
		}
	}
	return refs, err
}

// Descends tells whether a commit is another one or descends from it.
func (r *Repo) Descends(ctx context.Context, commit, from string) (bool, error) {
	for _, rev := range []string{commit, from} {
		if err := hardened.CheckRev(rev); err != nil {
			return false, err
		}
	}
	args := []string{"merge-base", "--is-ancestor", "--end-of-options", from, commit}
	ask := r.g.Do
	if hardened.CheckSHA("commit", commit) == nil && hardened.CheckSHA("commit", from) == nil {
		ask = r.g.Fixed // keeps no failure, and "no" is one: it changes when a shallow history is deepened
	}
	_, err := ask(ctx, args...)
	if hardened.ExitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// MergeBase is the best commit that both have among their ancestors; NotFound
// when there is none.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	for _, rev := range []string{a, b} {
		if err := hardened.CheckRev(rev); err != nil {
			return "", err
		}
	}
	out, err := r.g.Do(ctx, "merge-base", "--end-of-options", a, b)
	if hardened.ExitCode(err) == 1 {
		return "", kedge.Errorf(kedge.NotFound, "%q and %q have no commit in common", a, b).WithHint("see all branches: git log --oneline --graph --all")
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return first, err
}

// Lonely tells whether a commit is on no ref. Likely is one that it is probably on:
// to ask every ref takes a walk through all that was done.
func (r *Repo) Lonely(ctx context.Context, commit, likely string) (bool, error) {
	if err := hardened.CheckSHA("commit", commit); err != nil {
		return false, err
	}
	at, err := r.refValue(ctx, likely)
	if err != nil {
		return false, err
	}
	if at != "" {
		if on, err := r.Descends(ctx, at, commit); err != nil || on {
			return false, err
		}
	}
	kept, err := r.keptBy(ctx, commit, "")
	return len(kept) == 0, err
}

// keptBy lists the refs, but for the given branch, that hold a commit.
func (r *Repo) keptBy(ctx context.Context, commit, but string) ([]string, error) {
	out, err := r.g.Do(ctx, "for-each-ref", "--format=%(refname)", "--contains", commit)
	if err != nil {
		return nil, err
	}
	var kept []string
	for ref := range strings.FieldsSeq(string(out)) {
		if but == "" || ref != "refs/heads/"+but {
			kept = append(kept, ref)
		}
	}
	return kept, nil
}
