// Package process is the room for everything that runs beside Kedge: programs, their
// terminals and what they print. This package itself runs a shell line and owns
// everything that grows from it, says which user is at the other end of a socket, and
// lets a process that waits take little memory. It also tells whether the owner of a
// lock file is alive.
//
// It promises that when Wait or Run returns, the line and all of its descendants are
// gone, those that left the process group or the session included, and that their
// output is in a private log of bounded size. A process belongs to a tree by identity
// (pid and start time) and by a mark it inherited, never by name. It never signals a
// process that does not carry the mark or descend from one that does.
//
// The limit: on Linux a process that has dropped the mark from its environment, closed
// every descriptor it inherited and outlived its parents is not found. On other systems
// Kedge looks for the mark with ps.
//
// The token of a session is random, is given once to whoever starts the session, and is
// nowhere on disk: the session's folder keeps its hash.
//
// Your own terminal is here, too: its size, its raw mode, and the way back from it. When
// raw mode ends, the terminal is as it was, whatever was printed to it meanwhile.
//
// Packages in this room import text and core. They know nothing of features, runs or
// agents.
package process
