// Package projects opens the projects of one KEDGE_HOME: journal, repositories, files and
// settings. It has the one way to add facts: under the project's lock, once for each
// request key. Two callers never decide about one project at the same time. It writes no
// file outside the project's folder. It gives runs and agents the settings of the
// verified base, not those that an agent changed. It also starts and stops the background
// work of the service. The package never decides what the facts are.
package projects
