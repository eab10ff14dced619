// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#include "case_watch.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char line[512];

// Calls only functions that signal-safety(7) allows.
static void report(int number) {
    const char *what = number == SIGALRM ? "FAILED: took too long: " : "FAILED: trapped: ";
    ssize_t written = write(STDERR_FILENO, what, strlen(what));
    written += write(STDERR_FILENO, line, strlen(line));
    _exit(written > 0 ? 1 : 2);
}

void case_watch_begin(const char *name, unsigned seconds) {
    static const int numbers[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM};
    snprintf(line, sizeof line, "%s\n", name);
    for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
        signal(numbers[index], report);
    }
    alarm(seconds);
}

void case_watch_end(void) { alarm(0); }
