// Package text is the room of small pure helpers over bytes and strings: notations
// (globs, strict JSON, front matter), escape sequences, secrets, counted words. Packages
// in it import the nouns at most. They contain no word of Kedge's business, and never
// touch a disk, a clock or a network. The package itself is empty.
package text
