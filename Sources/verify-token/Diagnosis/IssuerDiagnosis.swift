// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
internal import LoginKeys
internal import LoginTokens

/// The findings about an issuer: what works, what fails and why.
///
/// They are computed from the fetched documents, without network and clock.
struct IssuerDiagnosis: Sendable {
    /// A check, in the order in which the findings are listed.
    enum Check: String, Sendable {
        case issuer
        case discoveryDocument = "discovery-document"
        case discoveryIssuer = "discovery-issuer"
        case keySetURL = "key-set-url"
        case responseTypes = "response-types"
        case endpoints
        case pkce
        case clientAuthentication = "client-authentication"
        case redirectURI = "redirect-uri"
        case keySet = "key-set"
        case key
        case keyIDs = "key-ids"
        case algorithms
        case lifetime
        case clock
        case timing
        case graphVersion = "graph-version"
        case clientSecret = "client-secret"
    }

    /// The outcome of a check.
    enum Outcome: String, Sendable {
        case ok
        /// Tokens are verified all the same, or most of them are.
        case warning
        /// Tokens are refused, or cannot be verified.
        case failed
    }

    /// The result of one check.
    struct Finding: Sendable {
        let check: Check
        let outcome: Outcome
        /// The result as a sentence, with text of the issuer in quotation marks.
        let detail: String
        /// The advice; nil if there is nothing to do.
        var advice: String?
        /// Whether a later attempt may succeed without any change.
        var isTemporary = false

        init(_ check: Check, _ outcome: Outcome, _ detail: String, advice: String? = nil) {
            self.check = check
            self.outcome = outcome
            self.detail = detail
            self.advice = advice
        }
    }

    /// The summary of the findings.
    enum Verdict: String, Sendable {
        /// Nothing failed.
        case ok
        /// A check fails until something is changed.
        case failed
        /// The issuer could not be reached.
        case unreachable

        /// Returns the summary of findings.
        init(of findings: [Finding]) {
            let failures = findings.filter { $0.outcome == .failed }
            self =
                failures.contains { !$0.isTemporary } ? .failed : failures.isEmpty ? .ok : .unreachable
        }
    }

    /// The documents of the issuer.
    let documents: IssuerDocuments

    /// The policy for the issuer's tokens.
    let policy: TokenPolicy

    /// The client of the service at the provider.
    var client = ClientRegistration()

    /// The findings, in the order of the checks.
    var findings: [Finding] {
        [issuerFinding] + discoveryFindings + [redirectURIFinding].compactMap(\.self) + keySetFindings
            + [algorithmFinding, lifetimeFinding, clockFinding, timingFinding].compactMap(\.self)
    }

    /// The summary of the findings.
    var verdict: Verdict { Verdict(of: findings) }
}

// MARK: Issuer

extension IssuerDiagnosis {
    private var issuerFinding: Finding {
        let issuer = policy.provider.issuers.first ?? ""
        guard policy.provider.keySetURL == nil else {
            return Finding(.issuer, .ok, "The issuer \(quoted(issuer)) and the URL of its keys are known.")
        }
        do throws(TransportFailure) {
            let url = try ProviderMetadata.url(of: policy.provider)
            guard url.scheme == .https else {
                return Finding(
                    .issuer,
                    .warning,
                    "The issuer is a URL with http, which is allowed on this machine only.",
                    advice: "Use https outside of tests."
                )
            }
            guard policy.provider.documents.discoveryURL == nil else {
                return Finding(.issuer, .ok, "The discovery document is at a configured URL, with https.")
            }
            return Finding(.issuer, .ok, "The issuer is a URL with https and without query.")
        } catch {
            return Finding(
                .issuer,
                .failed,
                "The issuer cannot be used: \(error.detail).",
                advice: Self.isOfTenants(issuer)
                    ? Self.tenantAdvice
                    : "Use the URL that the provider documents, with https and without query; "
                        + "--allow-loopback-http allows http on this machine, for tests."
            )
        }
    }
}

// MARK: Times

extension IssuerDiagnosis {
    /// The lifetime of the keys, as the issuer states it and as the key cache applies it.
    private var lifetimeFinding: Finding? {
        guard let fetch = documents.keySet, let keys = fetch.document, let response = fetch.exchange?.response else {
            return nil
        }
        let fields = ["Cache-Control", "Age", "Expires"].compactMap { name in
            let values = response.values(of: name)
            return values.isEmpty ? nil : "\(name) \(quoted(values))"
        }
        let stated = keys.lifetime.map { "a lifetime of \(Self.seconds($0))" } ?? "no lifetime"
        let source = fields.isEmpty ? "" : " (\(fields.joined(separator: ", ")))"
        let bounds = documents.configuration.lifetime
        let applied = Self.seconds(documents.configuration.clamped(keys.lifetime))
        return Finding(
            .lifetime,
            .ok,
            "The answer states \(stated)\(source); a key cache uses the keys for \(applied), "
                + "within its bounds of \(Self.seconds(bounds.lowerBound)) and \(Self.seconds(bounds.upperBound))."
        )
    }

    /// The difference between this machine's clock and those of the servers.
    private var clockFinding: Finding? {
        let answered = documents.exchanges.filter { $0.response != nil }
        guard !answered.isEmpty else { return nil }
        let differences = answered.compactMap { exchange in
            exchange.response
                .flatMap { Freshness.serverTime(of: $0, now: exchange.end) }
                .map { exchange.end.timeIntervalSince($0) }
        }
        // A cache on the way that omits `Age` makes its answers look older, so the smallest difference counts.
        guard let difference = differences.min(by: { abs($0) < abs($1) }) else {
            return Finding(
                .clock,
                .warning,
                "No answer has a valid Date, so the clocks could not be compared.",
                advice: "Check that this machine synchronizes its clock (NTP)."
            )
        }
        let seconds = Int(abs(difference).rounded())
        let leeway = Self.seconds(policy.leeway)
        guard abs(difference) > policy.leeway / .seconds(1) else {
            return Finding(.clock, .ok, "The clocks differ by \(seconds) s, within the leeway of \(leeway).")
        }
        let consequence =
            difference > 0
            ? "ahead of the server's (Date), more than the leeway of \(leeway): tokens expire too early"
            : "behind the server's (Date), more than the leeway of \(leeway): new tokens are refused (issued-in-future)"
        return Finding(
            .clock,
            .failed,
            "This machine's clock is \(seconds) s \(consequence).",
            advice: "Synchronize the clock (NTP)."
        )
    }

    /// The durations of the requests.
    private var timingFinding: Finding? {
        let durations = [
            ("discovery document", documents.discovery?.exchange), ("key set", documents.keySet?.exchange),
        ].compactMap { name, exchange in exchange.map { (name: name, duration: $0.duration) } }
        guard !durations.isEmpty else { return nil }
        let listed = durations.map { "the \($0.name) \(Int(($0.duration / .milliseconds(1)).rounded())) ms" }
        let deadline = documents.configuration.fetchDeadline
        let isSlow = durations.map(\.duration).reduce(.zero, +) > deadline / 2
        return Finding(
            .timing,
            isSlow ? .warning : .ok,
            "Durations: \(listed.joined(separator: ", ")); a key cache waits for \(Self.seconds(deadline)).",
            advice: isSlow ? "Check the network to the provider: a fetch that takes longer fails (deadline)." : nil
        )
    }

    private static func seconds(_ duration: Duration) -> String { "\(duration.components.seconds) s" }
}
#endif
