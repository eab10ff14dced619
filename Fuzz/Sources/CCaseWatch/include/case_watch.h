// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#ifndef CASE_WATCH_H
#define CASE_WATCH_H

// From now on the case of this name is under way: a trap, or more time than so many seconds, ends the process with status 1
// and one line that names it.
void case_watch_begin(const char *name, unsigned seconds);

// No case is under way.
void case_watch_end(void);

#endif
