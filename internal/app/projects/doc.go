// Package projects opens the projects of one KEDGE_HOME: journal, repositories, files
// and settings. It has the one way to add facts: under the project's lock, once for each
// request key. Two callers never decide about one project at the same time. No file is
// written outside the project's folder. The settings of the base apply to a run or an
// agent. It also starts and stops the background work of the service. The package never
// decides what the facts are.
package projects
