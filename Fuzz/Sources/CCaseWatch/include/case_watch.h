// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#ifndef CASE_WATCH_H
#define CASE_WATCH_H

// Starts the case of this name: a trap, or a run longer than the given seconds, ends the process with status 1 and one
// line that names the case.
void case_watch_begin(const char *name, unsigned seconds);

// Ends the case.
void case_watch_end(void);

#endif
