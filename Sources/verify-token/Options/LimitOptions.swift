// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import LoginTokens

/// The maximum sizes of a token.
struct LimitOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The maximum size of the token, 16384 to 65536.", valueName: "bytes")
    )
    var maxTokenBytes = Limits.tokenBytes

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The maximum size of the decoded header, 4096 to 16384.", valueName: "bytes")
    )
    var maxHeaderBytes = Limits.headerBytes

    func validate() throws {
        for (name, size, range) in [
            ("--max-token-bytes", maxTokenBytes, Limits.tokenBytesRange),
            ("--max-header-bytes", maxHeaderBytes, Limits.headerBytesRange),
        ] where !range.contains(size) {
            throw ValidationError("\(name): \(size) is not from \(range.lowerBound) to \(range.upperBound).")
        }
    }

    /// Returns the limits, whose refusals name the options.
    func tokenLimits() throws(PolicyError) -> TokenLimits {
        try TokenLimits(tokenBytes: maxTokenBytes, headerBytes: maxHeaderBytes)
            .named(tokenBytes: "--max-token-bytes", headerBytes: "--max-header-bytes")
    }
}
#endif
