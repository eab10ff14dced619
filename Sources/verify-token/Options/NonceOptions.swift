// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import LoginTokens

/// The expected nonce.
struct NonceOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: ArgumentHelp("It must equal this.", valueName: "value"))
    var nonce: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "It must be the SHA-256 of this, in lower-case hexadecimal. The hash itself is given with --nonce.",
            valueName: "value"
        )
    )
    var nonceSha256: String?

    @Flag(help: "There must be none.")
    var nonceAbsent = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Do not look at it; the report says so, and why.", valueName: "reason")
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
            --nonce <value> or --nonce-sha256 <value>, with the value your server issued; --nonce-absent; or, for a first \
            look, --nonce-unchecked <reason>
            """
        ]
    }

    func validate() throws {
        guard given.count <= 1 else { throw ValidationError("Give only one of the options for the nonce.") }
        guard nonce != "", nonceSha256 != "", nonceUnchecked != "" else {
            throw ValidationError("The value of the option for the nonce is empty.")
        }
    }

    /// The value to compare the nonce with; nil if there is none.
    var expectedValue: ExpectedNonce? { nonce.map(ExpectedNonce.exactly) ?? nonceSha256.map(ExpectedNonce.sha256) }

    var expectation: NonceExpectation {
        given.first ?? .mustBeAbsent
    }
}
#endif
