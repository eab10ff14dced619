// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import Testing

/// Waits until a condition without a notification holds, for at most five minutes.
///
/// When sanitizers slow down all concurrent work, a minute may pass before a task begins.
public func eventually(_ what: Comment, _ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(300)
    while !condition() {
        try #require(ContinuousClock.now < end, what)
        try await Task.sleep(for: .milliseconds(1))
    }
}
