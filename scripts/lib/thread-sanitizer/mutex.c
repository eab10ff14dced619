// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors
//
// Tells the thread sanitizer about the contended half of Swift's Mutex on Linux. To be preloaded.
//
// An uncontended lock is an atomic exchange compiled into the caller, which the sanitizer observes. A contended one is
// acquired and released inside libswiftSynchronization, which is not instrumented, so the sanitizer would report every
// access that the mutex protects as a race. These two functions replace the library's own, and report to the sanitizer.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT_CALL __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Weak: the tools that start the tests are not instrumented, and the library is preloaded into them as well.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT_CALL void LockSlow(uint32_t thread, SWIFT_SELF void *handle);
typedef SWIFT_CALL void UnlockSlow(SWIFT_SELF void *handle);

SWIFT_CALL void lock_slow(uint32_t thread, SWIFT_SELF void *handle) __asm__(LOCK_SLOW);
SWIFT_CALL void unlock_slow(SWIFT_SELF void *handle) __asm__(UNLOCK_SLOW);

SWIFT_CALL void lock_slow(uint32_t thread, SWIFT_SELF void *handle) {
    ((LockSlow *)dlsym(RTLD_NEXT, LOCK_SLOW))(thread, handle);
    if (__tsan_acquire) {
        __tsan_acquire(handle);
    }
}

SWIFT_CALL void unlock_slow(SWIFT_SELF void *handle) {
    if (__tsan_release) {
        __tsan_release(handle);
    }
    ((UnlockSlow *)dlsym(RTLD_NEXT, UNLOCK_SLOW))(handle);
}
