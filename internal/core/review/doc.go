// Package review decides which files of a change wait for your approval: files that are
// protected or bigger than you allow, executables and archives, and links that lead out
// of the repository. It names other binary files, for the evidence. It promises to judge
// a file by its content, not by its name, and to accept files that the feature's
// definition names explicitly. Of two assertions about the same thing, it tells whether
// the later one requires less. It knows which files, classes and methods a test runner
// runs, and what ends or falsifies such a run. It never reads a file itself.
package review
