// Package review decides which files of a change wait for your approval: files that are
// protected, that are bigger than you allow, that are executables or archives by their
// content, and links that lead out of the repository. It names other binary files, for the
// evidence. It promises to judge by what a file contains, not by what it is called, and to
// let through what the feature's definition names explicitly. Of two assertions about the same it
// tells whether the later one asks for less. It knows which files, classes and methods a runner of tests takes,
// and what ends or falsifies its run. It never reads a file itself.
package review
