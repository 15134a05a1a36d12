# Cases of make, gcc and the shell. Sourced by record.sh.

project shell
printf 'all: prog\nprog: main.c absent.c\n\tcc -o prog main.c\n' >Makefile
printf 'check:\n\t@echo checking\n\t@grep -q thing main.c\nbad:\n\tcc -c bad.c\nspaces:\n        echo no tab\n' >Recipe.mk
printf 'int main(void) { return 0; }\n' >main.c
printf '#include <stdio.h>\n\nint main(void) {\n  int unused;\n  printf("%%d\\n", total);\n  return 0;\n}\n' >bad.c
record make-norule 'make'
record make-separator 'make -f Recipe.mk'
sed -i '/spaces/,$d' Recipe.mk
record make-fail 'make -f Recipe.mk check'
record make-cc 'make -f Recipe.mk bad'
record gcc-fail 'gcc -Wall -c bad.c'
record sh-notfound 'no-such-command-here --version'
record sh-silent 'false'
record sh-syntax 'sh -c "if true; then"'
