// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization
public import Testing

/// A trait with the numbered rules of `docs/assurance/rules.md` that a test covers; it records whether the test passed.
///
/// `scripts/check-rules` compares the record with the document, so a rule cannot be listed as tested when its tests did
/// not run, were skipped, or failed.
public struct RuleTrait: TestTrait, SuiteTrait, TestScoping {
    let rules: [String]

    /// The tests of a suite inherit the rules.
    public var isRecursive: Bool { true }

    /// Runs the test, and records whether it passed.
    @concurrent public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let sawIssue = Mutex(false)
        let watch = IssueHandlingTrait.compactMapIssues { issue in
            sawIssue.withLock { $0 = true }
            return issue
        }
        do {
            try await watch.provideScope(for: test, testCase: testCase, performing: function)
        } catch {
            record(passed: false, test: test)
            throw error
        }
        record(passed: !sawIssue.withLock { $0 }, test: test)
    }

    private func record(passed: Bool, test: Test) {
        for rule in rules {
            RunLog.shared.append("rule\t\(rule)\t\(passed ? "passed" : "failed")\t\(test.id)")
        }
    }
}

extension Trait where Self == RuleTrait {
    /// Returns a trait with these rules, for example `.rule("T-021")`.
    public static func rule(_ rules: String...) -> Self {
        Self(rules: rules)
    }
}
