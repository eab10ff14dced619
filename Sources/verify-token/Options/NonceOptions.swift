// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import LoginTokens

/// The expected nonce.
struct NonceOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: ArgumentHelp("The expected nonce.", valueName: "value"))
    var nonce: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "A value whose SHA-256, in lower-case hexadecimal, is the expected nonce. Give the hash itself with --nonce.",
            valueName: "value"
        )
    )
    var nonceSha256: String?

    @Flag(help: "Expect a token without a nonce.")
    var nonceAbsent = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Do not check the nonce; the report contains the reason.", valueName: "reason")
    )
    var nonceUnchecked: String?

    private var given: [NonceExpectation] {
        [
            nonce.map(NonceExpectation.exactly), nonceSha256.map(NonceExpectation.sha256(of:)),
            nonceAbsent ? .mustBeAbsent : nil, nonceUnchecked.map(NonceExpectation.notChecked(because:)),
        ].compactMap { $0 }
    }

    /// The missing option, which has no default.
    var missing: [String] {
        guard given.isEmpty else { return [] }
        return [
            """
            --nonce <value> or --nonce-sha256 <value>, with the value that your server issued; --nonce-absent; or, to try a \
            token, --nonce-unchecked <reason>
            """
        ]
    }

    func validate() throws {
        guard given.count <= 1 else { throw ValidationError("Give only one of the nonce options.") }
        guard nonce != "", nonceSha256 != "", nonceUnchecked != "" else {
            throw ValidationError("The value of the nonce option is empty.")
        }
    }

    /// Checks that tokens of a provider can have the nonce: Facebook's never have one with white space.
    ///
    /// - Throws: `ValidationError`
    func validate(for provider: Provider) throws {
        guard let nonce, provider.name == Provider.facebook.name else { return }
        guard !nonce.unicodeScalars.contains(where: \.properties.isWhitespace) else {
            throw ValidationError("--nonce contains white space or a line break, which no nonce at Facebook has.")
        }
    }

    /// The value to compare the nonce with; nil if there is none.
    var expectedValue: ExpectedNonce? { nonce.map(ExpectedNonce.exactly) ?? nonceSha256.map(ExpectedNonce.sha256) }

    var expectation: NonceExpectation {
        given.first ?? .mustBeAbsent
    }
}
#endif
