// Package process is the room for the programs that Kedge starts, their terminals and
// their output. This package itself runs a shell line and owns all processes that the
// line starts. It finds the user at the other end of a socket, keeps the memory of a
// waiting process small, and tells whether the owner of a lock file is alive.
//
// It promises that when Wait or Run returns, the line and all of its descendants have
// ended, even those that left the process group or the session, and that their output is
// in a private log of bounded size. It recognises a process by its identity (pid and
// start time) and by an inherited mark, never by name. It signals only a process that
// carries the mark or descends from one that does.
//
// The limit: on Linux, it does not find a process that removed the mark from its
// environment, closed every inherited descriptor and outlived its parents. On other
// systems, it looks for the mark with ps.
//
// The token of a session is random. The program that starts the session gets it once. It
// is nowhere on disk: the session's folder has only its hash.
//
// Your own terminal is here, too: its size and its raw mode. When raw mode ends, the
// terminal is as before, whatever was printed to it meanwhile.
//
// Packages in this room import text and core. They know nothing of features, runs or
// agents.
package process
