// Package core is the room of the rules: what a plan, a check or a brief is, what a run
// does next, which agent a session gets. Everything in it is a pure function over
// values: no os, net, sql, goroutines or clock; time comes in as an argument. Packages in
// it import text and the nouns only. The package itself is empty.
package core
