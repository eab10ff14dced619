// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A step of a verification.
///
/// The steps always run in the same order: that of ``inOrder`` for ID tokens, and of ``inAccessTokenOrder`` for access
/// tokens.
public struct Check: Sendable, Hashable, CustomStringConvertible {
    /// The stable name, for example `expiry`.
    public let rawValue: String

    init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The name, the same as ``rawValue``.
    public var description: String { rawValue }
}

extension Check {
    /// The token does not exceed the size limit.
    public static let size = Self("size")
    /// The token has three segments, and the required ones are not empty.
    public static let segments = Self("segments")
    /// Each segment is canonical base64url.
    public static let encoding = Self("encoding")
    /// The header is a JSON object.
    public static let header = Self("header")
    /// The header requires no unsupported extension.
    public static let criticalHeader = Self("critical-header")
    /// The `typ` in the header is not that of another kind of token.
    public static let tokenType = Self("token-type")
    /// The algorithm is allowed.
    public static let algorithm = Self("algorithm")
    /// The payload is a JSON object, and not that of another kind of token.
    public static let payload = Self("payload")
    /// The issuer is an accepted one.
    public static let issuer = Self("issuer")
    /// The audience is an accepted client ID.
    public static let audience = Self("audience")
    /// Exactly one key of the issuer matches.
    public static let key = Self("key")
    /// The signature is valid.
    public static let signature = Self("signature")
    /// No required claim is missing.
    public static let requiredClaims = Self("required-claims")
    /// The claims have the right types.
    public static let claimTypes = Self("claim-types")
    /// The claims have the values that the policy requires.
    public static let claimValues = Self("claim-values")
    /// The authorized party of an ID token, or the client of an access token, is an accepted one.
    public static let authorizedParty = Self("authorized-party")
    /// The subject is well-formed, and the expected one.
    public static let subject = Self("subject")
    /// The token has not expired.
    public static let expiry = Self("expiry")
    /// The current time is not before `nbf`.
    public static let notBefore = Self("not-before")
    /// The token was not issued in the future.
    public static let issuedAt = Self("issued-at")
    /// The token was issued recently enough.
    public static let age = Self("age")
    /// The user was authenticated recently enough.
    public static let authTime = Self("auth-time")
    /// The authentication context class is an accepted one.
    public static let acr = Self("acr")
    /// The access token has the required scopes.
    public static let scope = Self("scope")
    /// The account belongs to the expected organization.
    public static let hostedDomain = Self("hosted-domain")
    /// The hash of the access token matches.
    public static let accessTokenHash = Self("access-token-hash")
    /// The hash of the authorization code matches.
    public static let codeHash = Self("code-hash")
    /// The nonce is the expected one.
    public static let nonce = Self("nonce")
    /// The nonce had not been consumed before.
    public static let singleUse = Self("single-use")

    /// All steps for an ID token, in the order in which they run.
    ///
    /// Cheap checks precede expensive ones. Before the signature is verified, claims are reported only if they decide
    /// whether to verify it at all: the issuer and the audience. Consuming the nonce comes last, because it changes
    /// state.
    public static let inOrder: [Check] = [
        .size, .segments, .encoding, .header, .criticalHeader, .tokenType, .algorithm, .payload, .issuer, .audience,
        .key, .signature, .requiredClaims, .claimTypes, .authorizedParty, .subject, .expiry, .notBefore, .issuedAt,
        .age, .authTime, .acr, .hostedDomain, .accessTokenHash, .codeHash, .nonce, .singleUse,
    ]

    /// All steps for an access token, in the order in which they run.
    ///
    /// The scopes come last, so `insufficient-scope` means that the token is valid otherwise.
    public static let inAccessTokenOrder: [Check] = [
        .size, .segments, .encoding, .header, .criticalHeader, .tokenType, .algorithm, .payload, .issuer, .audience,
        .key, .signature, .requiredClaims, .claimTypes, .claimValues, .authorizedParty, .subject, .expiry, .notBefore,
        .issuedAt, .age, .scope,
    ]
}

/// The result of one step of a verification.
public struct CheckReport: Sendable, Hashable {
    /// The outcome of a step.
    public enum Outcome: String, Sendable, Hashable {
        /// The token passed the step.
        case pass
        /// The token failed the step, and was refused.
        case fail
        /// The step did not run: the policy does not require it, or an earlier step failed.
        case skipped
    }

    /// The step.
    public let check: Check
    /// The outcome of the step.
    public let outcome: Outcome
    /// A short, escaped description for the operator, without secrets or personal claims.
    public let detail: String

    /// Creates a report, for example in tests or in other verifiers.
    public init(check: Check, outcome: Outcome, detail: String) {
        self.check = check
        self.outcome = outcome
        self.detail = detail
    }
}

/// A log that sends the reports of one verification to its observer: each step once, in order, whatever the outcome.
///
/// A step reports after it has passed. A step that fails throws, so the first step without a report is the one that
/// failed.
struct CheckLog {
    private let observer: ((CheckReport) -> Void)?
    private var remaining: ArraySlice<Check>

    init(observer: ((CheckReport) -> Void)?, steps: [Check] = Check.inOrder) {
        self.observer = observer
        remaining = steps[...]
    }

    /// Whether there is an observer.
    var isObserved: Bool { observer != nil }

    /// Reports that a check passed.
    ///
    /// The detail is evaluated only if there is an observer.
    mutating func pass(_ check: Check, _ detail: @autoclosure () -> String) {
        report(check, .pass, detail)
    }

    /// Reports a check that the policy does not require.
    mutating func skip(_ check: Check, _ detail: @autoclosure () -> String) {
        report(check, .skipped, detail)
    }

    /// Reports that all checks before this one, or all remaining ones if it is nil, were skipped.
    mutating func skip(upTo check: Check?, _ detail: @autoclosure () -> String) {
        while observer != nil, let next = remaining.first, next != check { report(next, .skipped, detail) }
    }

    /// Reports that the next check failed or could not run, and that all later checks were skipped.
    mutating func fail(_ error: @autoclosure () -> VerificationError) {
        guard observer != nil, let check = remaining.first else { return }
        switch error() {
        case .refused(let refusal): report(check, .fail, { "\(refusal.code): \(refusal.detail)" })
        case .undecided(let unavailable): report(check, .skipped, { unavailable.description })
        }
        while let check = remaining.first { report(check, .skipped, { "not reached" }) }
    }

    private mutating func report(_ check: Check, _ outcome: CheckReport.Outcome, _ detail: () -> String) {
        guard let observer else { return }
        assert(check == remaining.first, "\(check) reported out of order")
        remaining.removeFirst()
        observer(CheckReport(check: check, outcome: outcome, detail: detail()))
    }
}
