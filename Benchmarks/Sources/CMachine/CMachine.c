// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#ifdef __linux__
#define _GNU_SOURCE
#endif

#include "CMachine.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARGUMENTS_MAX 64

extern char **environ;

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

CMachine_Run CMachine_run(const char *arguments, size_t size, const char *output) {
    CMachine_Run run = {.status = -1};
    char *texts[ARGUMENTS_MAX + 1] = {NULL};
    size_t count = 0;
    for (size_t position = 0; position < size; position += strlen(arguments + position) + 1) {
        if (count == ARGUMENTS_MAX) return run;
        texts[count++] = (char *)arguments + position;
    }
    if (count == 0) return run;
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return run;
    pid_t child = 0;
    double start = now();
    int failure = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (failure == 0) {
        failure = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    }
    if (failure == 0) {
        failure = posix_spawnp(&child, texts[0], &actions, NULL, texts, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) return run;
    int status = 0;
    struct rusage usage = {0};
    pid_t ended = 0;
    do ended = wait4(child, &status, 0, &usage);
    while (ended == -1 && errno == EINTR);
    if (ended != child) return run;
    run.wall_seconds = now() - start;
    run.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
#ifdef __APPLE__
    run.peak_bytes = usage.ru_maxrss;
#else
    run.peak_bytes = (int64_t)usage.ru_maxrss * 1024;
#endif
    run.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return run;
}

size_t CMachine_protect(const void *start, size_t size, int is_readable) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)start + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)start + size) / page * page;
    if (end <= first) return 0;
    int protection = is_readable ? PROT_READ | PROT_WRITE : PROT_NONE;
    return mprotect((void *)first, end - first, protection) == 0 ? end - first : 0;
}
