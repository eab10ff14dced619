// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import LoginTokens

/// The options for the times of a token.
struct ValidityOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The accepted difference between clocks, 0 to 300.", valueName: "seconds")
    )
    var leeway = 30

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum time since the token was issued (iat). Without it, a token is accepted until it expires.",
            valueName: "seconds"
        )
    )
    var maxAge: Int?

    @OptionGroup var time: TimeOptions

    func validate() throws {
        guard (0...300).contains(leeway) else {
            throw ValidationError("--leeway: \(leeway) s is not from 0 to 300 s.")
        }
        if let maxAge, maxAge <= 0 { throw ValidationError("--max-age: \(maxAge) s is not positive.") }
    }
}
#endif
