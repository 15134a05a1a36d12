// Package usage has the commands that show what sessions used and cost, and why: audit,
// cost, stats and hygiene. It owns how figures look, in text and on a page; it computes
// none of them.
package usage
