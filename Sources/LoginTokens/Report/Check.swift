// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// One step of a verification.
///
/// The steps are always taken in the order of ``inOrder``.
public struct Check: Sendable, Hashable, CustomStringConvertible {
    /// The stable name, for example `expiry`.
    public let rawValue: String

    private init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The name, as in ``rawValue``.
    public var description: String { rawValue }
}

extension Check {
    /// The token is not longer than any real one.
    public static let size = Self("size")
    /// There are three segments, and none that must not be is empty.
    public static let segments = Self("segments")
    /// Each segment is canonical base64url.
    public static let encoding = Self("encoding")
    /// The header is a JSON object.
    public static let header = Self("header")
    /// The header asks for no extension.
    public static let criticalHeader = Self("critical-header")
    /// The header says no other kind of token.
    public static let tokenType = Self("token-type")
    /// The algorithm is allowed.
    public static let algorithm = Self("algorithm")
    /// The payload is a JSON object, and not that of another kind of token.
    public static let payload = Self("payload")
    /// The issuer is expected.
    public static let issuer = Self("issuer")
    /// The audience is us.
    public static let audience = Self("audience")
    /// One key of the issuer fits.
    public static let key = Self("key")
    /// The signature is valid.
    public static let signature = Self("signature")
    /// No required claim is missing.
    public static let requiredClaims = Self("required-claims")
    /// The claims have the right types.
    public static let claimTypes = Self("claim-types")
    /// The authorized party is us.
    public static let authorizedParty = Self("authorized-party")
    /// The subject is well formed, and the one expected.
    public static let subject = Self("subject")
    /// The token has not expired.
    public static let expiry = Self("expiry")
    /// The token's life has begun.
    public static let notBefore = Self("not-before")
    /// The token was not issued in the future.
    public static let issuedAt = Self("issued-at")
    /// The token was issued recently enough.
    public static let age = Self("age")
    /// The person was authenticated recently enough.
    public static let authTime = Self("auth-time")
    /// The person was authenticated in an accepted way.
    public static let acr = Self("acr")
    /// The account belongs to the organization expected.
    public static let hostedDomain = Self("hosted-domain")
    /// The hash of the access token is right.
    public static let accessTokenHash = Self("access-token-hash")
    /// The hash of the authorization code is right.
    public static let codeHash = Self("code-hash")
    /// The nonce is the one expected.
    public static let nonce = Self("nonce")
    /// The nonce had not been used before.
    public static let singleUse = Self("single-use")

    /// All steps, in the order in which they are taken.
    ///
    /// Cheap checks come before expensive ones, and nothing about a token's claims is reported before its signature was
    /// valid but what decides whether to look at the signature at all: whose token it is, and for whom. What changes
    /// something, the use of a nonce, comes last.
    public static let inOrder: [Check] = [
        .size, .segments, .encoding, .header, .criticalHeader, .tokenType, .algorithm, .payload, .issuer, .audience,
        .key, .signature, .requiredClaims, .claimTypes, .authorizedParty, .subject, .expiry, .notBefore, .issuedAt,
        .age, .authTime, .acr, .hostedDomain, .accessTokenHash, .codeHash, .nonce, .singleUse,
    ]
}

/// What one step of a verification found.
public struct CheckReport: Sendable, Hashable {
    /// How a step ended.
    public enum Outcome: String, Sendable, Hashable {
        /// The token satisfies it.
        case pass
        /// The token does not; it was refused here.
        case fail
        /// It was not taken: the policy does not ask for it, or an earlier step failed.
        case skipped
    }

    /// Which step.
    public let check: Check
    /// How it ended.
    public let outcome: Outcome
    /// What was seen, for the operator: escaped and short, without secrets and personal claims.
    public let detail: String

    /// Makes a report; tests and other verifiers of yours may want to.
    public init(check: Check, outcome: Outcome, detail: String) {
        self.check = check
        self.outcome = outcome
        self.detail = detail
    }
}

/// Hands the reports of one verification to its observer: each step once, in order, whatever happens.
///
/// A step reports when it has passed. One that fails throws, so the first step that has not reported is the one at fault.
struct CheckLog {
    private let observer: ((CheckReport) -> Void)?
    private var remaining = Check.inOrder[...]

    init(observer: ((CheckReport) -> Void)?) {
        self.observer = observer
    }

    /// Whether anybody listens.
    var isObserved: Bool { observer != nil }

    /// The check passed.
    ///
    /// The detail is made only where somebody listens.
    mutating func pass(_ check: Check, _ detail: @autoclosure () -> String) {
        report(check, .pass, detail)
    }

    /// The policy does not ask for the check.
    mutating func skip(_ check: Check, _ detail: @autoclosure () -> String) {
        report(check, .skipped, detail)
    }

    /// The next check failed, or could not be made; and so none after it is.
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
