// Package output owns the output of programs: it searches the tapes of sessions, exports
// them in other formats (asciicast version 3, text), and keeps the outputs of the
// commands that `kedge exec` ran.
//
// A search promises to find every hit once, in the order of the tapes and their lines. A
// match spans at most 64 KB of the tape, escape sequences included. An export is valid
// whatever bytes were printed, and marks the places where output is missing. Memory never
// depends on how much was printed.
//
// A kept output has its own folder. It is complete except for secrets, with a record of
// how its command ended. It needs no daemon, so that a session can use it. The output of
// a running command is never removed. A secret that package redact knows stays on the
// disk no longer than until the command has ended, or the next one begins.
package output
