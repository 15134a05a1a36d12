// Package output owns what programs printed: it searches the tapes of sessions, writes
// them in the formats of others (asciicast version 3, text), and keeps the outputs of
// the commands that `kedge exec` ran.
//
// A search promises that no hit is missed or given twice and that hits come in the
// order of the tapes and their lines. A match lies within 64 KB of the tape, escape
// sequences included. An export promises valid output whatever bytes were printed, and
// says where something is missing. Memory never depends on how much was printed.
//
// A kept output lies in a folder of its own, whole but for secrets, with a record of how
// its command ended. It needs no daemon, so that a session can use it. An output that a
// command still writes to is never removed. A secret that package redact knows stays on
// the disk no longer than until the command has ended, or the next one begins.
package output
