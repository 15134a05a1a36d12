// Package arch holds the import rules of this module, and the list of what each
// test promises, as tests. It has no code of its own.
package arch
