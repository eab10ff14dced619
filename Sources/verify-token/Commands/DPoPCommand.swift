// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser

/// The `dpop` command: operations on DPoP proofs.
struct DPoPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dpop",
        abstract: "Make and check DPoP proofs (RFC 9449).",
        subcommands: [MakeProofCommand.self, CheckProofCommand.self]
    )
}
#endif
