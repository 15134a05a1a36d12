// Package arch has tests that check this module's import rules, its documentation,
// and the list of what Kedge promises. It has no code of its own.
package arch
