// Package plan owns the two documents that describe the work to do: the feature
// list (.kedge/features.json) and the plan (.kedge/plan.md). It parses, checks,
// orders, compares and writes them, and reads other trackers' feature lists. It
// promises to read back what it writes, byte for byte, and to give the same answer
// for the same input. It never touches a disk, a clock or a process: everything
// that it must know of the world is an argument.
//
// # The plan document
//
// Front matter between two lines "---" with the keys version, id, title, status
// and base (id and base may be missing while it is a draft), then these
// headings, all of them and in this order:
//
//	## Questions
//	## Root cause
//	## Files expected to change
//	## Assumptions
//	## Invariants
//	## Risks
//	## Validation
//	## Phase 1: title {#p1 budget=200k model=opus}
//	## Phase 2: …
//
// Questions is a numbered list, or empty, or a line that says there are none. A
// question that ends in "(blocking)" must be answered before the plan can be
// approved. The answer is an indented line; an empty one leaves it open. Text
// indented below either belongs to it:
//
//  1. Are the flags positional or required? (blocking)
//     answer: required
//  2. Which exit code for no match?
//     answer:
//
// Root cause to Risks must say something. Assumptions, Invariants and Risks are lists,
// or paragraphs, one entry each: see Statements. Validation lists exact commands: one
// per line, list item, code span or line of a fenced block.
//
// A phase has an optional "prompt:" line and its items, each with indented
// lines: "check:" (a shell line, repeatable; "check: none" says that a person
// will judge), "paths:" (globs, by commas) and "after:" (items of this or an
// earlier phase that come first, by commas):
//
//	prompt: keep the public API as it is
//	- [ ] p1.1 add parser options
//	  check: go test ./parser
//	  paths: parser/**
//	- [ ] p1.2 validate exclusive flags
//	  check: go test ./parser -run Exclusive
//	  after: p1.1
//
// Budget is a number of tokens (200000, 200k, 2m) or of dollars ($5, 5usd).
package plan
