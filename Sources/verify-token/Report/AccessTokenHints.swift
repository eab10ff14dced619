// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import LoginTokens

/// Hints on a refused access token or proof, for the user of the command.
///
/// They show the audience and the scopes of the token, which the message for the operator contains too.
struct AccessTokenHints {
    let refusal: TokenRefusal

    /// The token as it was sent.
    let text: String

    /// Whether the keys come from a file in PEM form.
    var hasKeyInPEM = false

    /// The hints, one sentence each.
    var all: [String] {
        let hints = RefusalHints(refusal: refusal, text: text, hasKeyInPEM: hasKeyInPEM)
        return [
            commandHint, hints.secretHint, hints.keyHint, typeHint, audienceHint, valueHint, scopeHint,
            Self.possession(refusal.code),
        ]
        .compactMap(\.self)
    }

    /// Returns a hint on a refused proof, or on a bound token without one; nil if there is none.
    static func possession(_ code: VerificationCode) -> String? {
        switch code {
        case .proofRequired:
            "the token is bound to a key: give the proof of a request with --proof, --method and --url, or look at the token "
                + "with --allow-bound"
        case .certificateRequired:
            "the token is bound to a client certificate: verify-token access compares it with --certificate, and shows the token "
                + "with --allow-bound"
        case .proofTooOld:
            "a proof is valid for a short time: --at checks an earlier one as of its time"
        case .proofInFuture:
            "the client's clock may be ahead: --leeway of dpop check, --proof-leeway of access and dpop-leeway of the service allow "
                + "up to 60 s; --at checks an earlier proof as of its time"
        default: nil
        }
    }

    /// Returns the hints on a token that was refused because of the answer of an introspection endpoint.
    static func introspection(_ refusal: TokenRefusal) -> [String] {
        let hint: String? =
            switch (refusal.code, refusal.member.flatMap { IntrospectionPolicy.Member(rawValue: $0) }) {
            case (.inactive, _):
                "an endpoint also answers this about a token that the client of --introspection-client may not examine (RFC 7662 §2.2)"
            case (.missingClaim, .audience?):
                "--introspection-optional aud accepts that, but only an endpoint that answers about no other API's tokens may omit it"
            case (.missingClaim, let member?): "--introspection-optional \(member.rawValue) accepts that"
            default: nil
            }
        return [hint, possession(refusal.code)].compactMap(\.self)
    }

    private var commandHint: String? {
        switch refusal.recognizedAs {
        case .idToken: "verify-token verify verifies it"
        case .opaqueToken:
            "an opaque token has no signature: --introspect asks its issuer's introspection endpoint (RFC 7662) whether it is "
                + "active, and for whom"
        // The command verifies ID tokens only.
        case .severalTokens: nil
        default: RefusalHints.command(for: refusal.recognizedAs)
        }
    }

    private var typeHint: String? {
        guard refusal.code == .tokenType, refusal.member == "typ", refusal.recognizedAs == nil else { return nil }
        return
            "access tokens by RFC 9068 have the typ at+jwt; --preset and --jwt-mark accept the form of other issuers, and "
            + "verify-token verify verifies an ID token"
    }

    private var audienceHint: String? {
        guard refusal.code == .audience else { return nil }
        let names = strings
        guard !names.isEmpty else { return nil }
        return
            "the token is for \(quoted(names)): if that is your API, give it with --audience; otherwise the client must request a "
            + "token for your API"
    }

    private var valueHint: String? {
        refusal.code == .claimValue ? "verify-token inspect --show-claims shows the values of the token's claims" : nil
    }

    private var scopeHint: String? {
        guard refusal.code == .insufficientScope else { return nil }
        let scopes = strings.flatMap { $0.split(separator: " ").map(String.init) }
        guard !scopes.isEmpty else {
            return
                "the token has no scopes: the client must request them; a client without a user may have roles instead"
        }
        return "the token has \(quoted(scopes)): the client must request the missing scopes too"
    }

    /// The strings of the claim that caused the refusal.
    private var strings: [String] {
        guard let member = refusal.member,
            let claims = (try? UnverifiedToken(inspecting: text, limits: .largest))?.claims,
            let value = claims[member]
        else { return [] }
        return value.string.map { [$0] } ?? value.elements?.compactMap(\.string) ?? []
    }
}
#endif
