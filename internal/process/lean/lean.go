// Package lean lets a process that rests take little room: there is a daemon for
// every user and a holder for every session, and most of the time they wait. It
// owns nothing. It promises that nothing but the time of the next step changes,
// and never touches memory that was written to.
package lean
