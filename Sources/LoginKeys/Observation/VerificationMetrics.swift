// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
public import LoginTokens
public import Metrics

/// Counters of verification results by code.
///
/// ```swift
/// let metrics = VerificationMetrics(provider: .facebook)
/// let token = try await metrics.counting { () async throws(VerificationError) in
///     try await verifier.verify(text, nonce: .mustBeAbsent)
/// }
/// ```
///
/// If only the verifier sees the results, as with the verifiers of `Auth`, let it count them:
///
/// ```swift
/// verifier.onVerdict = { metrics.record($0) }
/// ```
///
/// The metric is `login_verifications_total`, with the labels `provider` and `outcome`: `verified`, the code of the
/// refusal or of the outage, or `key-lookup-postponed` for a token whose key can be looked up later
/// (`VerificationUnavailable.retryAfter`), which is no outage. Labels contain nothing of a token.
public struct VerificationMetrics: Sendable {
    private let verdicts: [String: Counter]

    /// Creates the counters of one provider, one for each code.
    ///
    /// - Parameters:
    ///   - provider: The provider of the tokens. Its name is the label.
    ///   - factory: The factory of the counters.
    public init(provider: Provider, factory: any MetricsFactory = MetricsSystem.factory) {
        let codes = VerificationCode.refusals + VerificationCode.undecided + VerificationCode.introspection
        let outcomes = [Self.verified, Self.postponed] + codes.map(\.rawValue)
        let verdicts = outcomes.map { outcome in
            let dimensions = [("provider", provider.name), ("outcome", outcome)]
            return (outcome, Counter(label: "login_verifications_total", dimensions: dimensions, factory: factory))
        }
        self.verdicts = Dictionary(verdicts) { first, _ in first }
    }

    /// Runs a verification, and counts its result.
    ///
    /// - Parameter body: A closure that verifies one token.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public func counting<Value, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        do throws(Failure) {
            let value = try await body()
            record(nil)
            return value
        } catch {
            // An error of another type, such as that of a nonce store, is no result about the token.
            if let error = error as? VerificationError { record(error) }
            throw error
        }
    }

    /// Counts the result of a verification by its code.
    ///
    /// - Parameter error: The error of the verification; nil if the token was accepted.
    public func record(_ error: VerificationError?) {
        verdicts[Self.outcome(of: error)]?.increment()
    }

    private static func outcome(of error: VerificationError?) -> String {
        switch error {
        case nil: verified
        case .undecided(let unavailable)? where unavailable.retryAfter != nil: postponed
        case let error?: error.code.rawValue
        }
    }

    private static let verified = "verified"
    private static let postponed = "key-lookup-postponed"
}
#endif
