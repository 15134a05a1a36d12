// Package demo shows the whole story with real processes and no model: it makes a
// small Go project, lets Kedge take thirty features of it to verified done with a
// scripted agent that lies, cheats and hangs on the way, kills the daemon and an
// agent, and tells what happened beside one long session of the same script. It
// plays the person: everything goes through the command line, in a folder and a
// KEDGE_HOME of its own. It ends only processes that it started.
package demo
