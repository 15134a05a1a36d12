//go:build !linux

package daemon_test

import (
	"errors"
	"syscall"
)

func ownMounts() *syscall.SysProcAttr { return nil }

func mountReadOnly(string) error { return errors.New("needs mount namespaces") }
