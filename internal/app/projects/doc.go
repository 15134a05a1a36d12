// Package projects owns the projects of one KEDGE_HOME: each project's opened journal
// and repositories, its files, its settings, the background work of the service, and the one way in which facts are added:
// under the project's lock, once for each key. It promises that two callers never decide
// at the same time about one project, that no file is written outside of the project's
// folder, and that a run or an agent is measured by the settings of its base. It never
// decides what the facts are.
package projects
