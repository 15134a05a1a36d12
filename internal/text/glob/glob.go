// Package glob matches slash-separated paths against patterns with ** in them.
// It owns the one meaning of a pattern that Kedge's files use (protected paths,
// the paths of a check or a feature, what a decision applies to). Matching
// takes time proportional to pattern times path at worst, whatever the pattern
// says; a pattern that is not Valid matches nothing. It never looks at a disk.
//
// In a pattern, * is any run of characters within one path element, ? one
// character, [a-z] one of a class ([!a-z] or [^a-z]: none of it), \c the
// character c, and an element that is exactly ** stands for zero or more whole
// elements; elsewhere ** is the same as *, as in .gitignore. At the end, dir/**
// is everything below dir and not dir itself.
package glob

import (
	"strings"

	"kedge"
)

// deep is the element that stands for any number of elements.
const deep = "**"

// Match tells whether the whole path matches the pattern. Both use slashes and
// have no leading one; a leading "./" or a trailing slash of either counts for
// nothing.
func Match(pattern, path string) bool {
	p := split(pattern)
	if path == "" || validate(p) != nil {
		return false
	}
	return matchElems(p, split(path))
}

// Valid explains what is wrong with a pattern; nil when it can be matched.
func Valid(pattern string) error {
	if pattern == "" {
		return kedge.Errorf(kedge.Invalid, "a pattern for paths is empty").WithHint("use ** for every path")
	}
	if strings.HasPrefix(pattern, "/") {
		return kedge.Errorf(kedge.Invalid, "pattern %q is absolute", pattern).
			WithHint("write the pattern as seen from the project's folder, for example: cmd/**")
	}
	if err := validate(split(pattern)); err != nil {
		return kedge.Errorf(kedge.Invalid, "pattern %q %w", pattern, err).
			WithHint("write a pattern such as cmd/**; put a backslash before a special character that is meant literally")
	}
	return nil
}

// split cuts a path or pattern into elements. Inside a class a slash still
// separates: no class can match one.
func split(s string) []string {
	for strings.HasPrefix(s, "./") {
		s = s[2:]
	}
	return strings.Split(strings.TrimSuffix(s, "/"), "/")
}

// validate checks every element, so that matching need not fail half way.
func validate(elems []string) error {
	for _, e := range elems {
		if err := validElem(e); err != nil {
			return err
		}
	}
	return nil
}

func validElem(e string) error {
	switch {
	case e == "" || e == ".":
		return kedge.Errorf(kedge.Invalid, "has an empty part between slashes")
	case e == "..":
		return kedge.Errorf(kedge.Invalid, `has ".." in it`)
	case e == deep:
		return nil
	}
	for rest := e; rest != ""; {
		_, n, ok := next(rest)
		if !ok {
			return kedge.Errorf(kedge.Invalid, "has an unfinished [class] or backslash in %q", e)
		}
		rest = rest[n:]
	}
	return nil
}

// matchElems is the two-pointer walk over elements: a ** remembers where it
// stood, and a mismatch gives it one element more. Only the last ** needs to be
// remembered, which keeps it from exponential growth.
func matchElems(pat, path []string) bool {
	p, s, backP, backS := 0, 0, -1, 0
	for s < len(path) {
		switch {
		case p < len(pat) && pat[p] == deep:
			if p == len(pat)-1 {
				return true
			}
			backP, backS = p, s
			p++
		case p < len(pat) && matchElem(pat[p], path[s]):
			p++
			s++
		case backP >= 0:
			backS++
			p, s = backP+1, backS
		default:
			return false
		}
	}
	// dir/** asks for something below dir; a ** alone, or in the middle, may be
	// nothing.
	for p < len(pat)-1 && pat[p] == deep {
		p++
	}
	return p == len(pat)
}
