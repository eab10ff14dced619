// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
public import LoginTokens
public import Metrics

/// Counts verdicts about tokens by their codes.
///
/// ```swift
/// let metrics = VerificationMetrics(provider: .facebook)
/// let token = try await metrics.counting { () async throws(VerificationError) in
///     try await verifier.verify(text, nonce: .mustBeAbsent)
/// }
/// ```
///
/// A verifier whose verdicts nobody else sees, as those of `Auth`, counts them itself:
///
/// ```swift
/// verifier.onVerdict = { metrics.record($0) }
/// ```
///
/// The metric is `login_verifications_total`, with the labels `provider` and `outcome`: `verified` or the code of the refusal.
/// Nothing of a token is among them.
public struct VerificationMetrics: Sendable {
    private let verdicts: [String: Counter]

    /// The counters of one provider, one for each code.
    ///
    /// - Parameters:
    ///   - provider: Whose tokens are verified; its name is the label.
    ///   - factory: Who makes the counters.
    public init(provider: Provider, factory: any MetricsFactory = MetricsSystem.factory) {
        let outcomes =
            [Self.verified] + TokenRefusal.Code.all.map(\.rawValue)
            + KeysUnavailable.Code.all.map(\.rawValue)
        let verdicts = outcomes.map { outcome in
            let dimensions = [("provider", provider.name), ("outcome", outcome)]
            return (outcome, Counter(label: "login_verifications_total", dimensions: dimensions, factory: factory))
        }
        self.verdicts = Dictionary(verdicts) { first, _ in first }
    }

    /// Verifies, and counts how it ended.
    ///
    /// - Parameter body: Verifies one token.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    public func counting<Value, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        do throws(Failure) {
            let value = try await body()
            record(nil)
            return value
        } catch {
            // A store of nonces that failed says nothing about the token.
            if let error = error as? VerificationError { record(error) }
            throw error
        }
    }

    /// Counts a verdict by its code.
    ///
    /// - Parameter error: Why a token was not accepted; nil where it was.
    public func record(_ error: VerificationError?) {
        verdicts[error?.code ?? Self.verified]?.increment()
    }

    private static let verified = "verified"
}
#endif
