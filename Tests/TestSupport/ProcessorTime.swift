// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation

/// Returns the processor time of this thread for some work, without other tests and other processes.
public func processorTime(_ work: () throws -> Void) rethrows -> Duration {
    let begun = threadTime()
    try work()
    return threadTime() - begun
}

private func threadTime() -> Duration {
    var time = timespec()
    let status = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    precondition(status == 0, "every system that Swift runs on has this clock")
    return .seconds(Int(time.tv_sec)) + .nanoseconds(Int(time.tv_nsec))
}
