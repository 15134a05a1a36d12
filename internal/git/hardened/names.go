package hardened

import (
	"path"
	"strings"

	"kedge"
)

// CheckRef refuses what git check-ref-format refuses, and any ref outside refs/:
// a name that passes can be neither an option nor a revision expression.
func CheckRef(ref string) error {
	if !strings.HasPrefix(ref, "refs/") || !refFormat(ref) {
		return kedge.Errorf(kedge.Invalid, "%q is not the full name of a branch or tag", ref).WithHint("write a name such as refs/heads/main")
	}
	return nil
}

// CheckBranch refuses a name that cannot be a branch.
func CheckBranch(name string) error {
	if name == "HEAD" || !refFormat("refs/heads/"+name) || strings.HasPrefix(name, "-") {
		return kedge.Errorf(kedge.Invalid, "%q is not a valid branch name", name).
			WithHint("use letters, digits, dashes, single dots and slashes, for example fix/login; the name may not begin or end with a dot or slash")
	}
	return nil
}

// CheckRev refuses everything but HEAD, object names, branches and full refs:
// no ranges, no paths, no @{…}, no options.
func CheckRev(rev string) error {
	if strings.HasPrefix(rev, "-") || !refFormat("refs/heads/"+rev) {
		return kedge.Errorf(kedge.Invalid, "Kedge does not accept %q as a commit: name a commit by its hash, a branch, or a ref such as refs/tags/v1", rev).WithHint("see the hashes: git log --oneline")
	}
	return nil
}

// WithoutSteps takes the steps back to ancestors off a rev that names a commit,
// like HEAD~2 and main^: nothing but ~, ^ and at most four digits after each.
func WithoutSteps(rev string) string {
	for {
		base := strings.TrimRight(rev, "0123456789")
		short := len(rev)-len(base) <= 4
		if !short || len(base) < 2 || !strings.HasSuffix(base, "~") && !strings.HasSuffix(base, "^") {
			return rev
		}
		rev = base[:len(base)-1]
	}
}

// refFormat holds the rules of git check-ref-format for a ref with a slash.
func refFormat(ref string) bool {
	if len(ref) > 1024 || strings.HasSuffix(ref, "/") || strings.HasSuffix(ref, ".") {
		return false
	}
	for _, bad := range []string{"..", "@{", "//"} {
		if strings.Contains(ref, bad) {
			return false
		}
	}
	for _, c := range []byte(ref) {
		if c <= ' ' || c == 0x7f || strings.IndexByte("~^:?*[\\", c) >= 0 {
			return false
		}
	}
	for part := range strings.SplitSeq(ref, "/") {
		if part == "" || part[0] == '.' || part[0] == '-' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

// CheckPath refuses a path that is not a plain one below the root: absolute,
// with "..", empty, through .git, or with a NUL.
func CheckPath(p string) error {
	if p == "" || p == "." || path.IsAbs(p) || path.Clean(p) != p || strings.ContainsRune(p, 0) || !Storable(p) ||
		p == ".." || strings.HasPrefix(p, "../") {
		return kedge.Errorf(kedge.Invalid, "%q is not a path inside the repository", p).
			WithHint("write the path as seen from the top folder of the repository, without \"..\"")
	}
	return nil
}

// Storable tells whether git can hold the path: none of its parts may be .git in
// any mix of cases.
func Storable(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if strings.EqualFold(part, ".git") {
			return false
		}
	}
	return true
}

// CheckSHA refuses what is not a full object name.
func CheckSHA(what, sha string) error {
	if (len(sha) != 40 && len(sha) != 64) || strings.Trim(sha, "0123456789abcdef") != "" {
		return kedge.Errorf(kedge.Invalid, "%q is not the full hash of a %s", sha, what)
	}
	return nil
}
