// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginTokens

/// A command that shows an issuer's keys and which tokens they can verify.
struct KeysCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Show an issuer's keys: the usable ones with their algorithms, and why others are unusable.",
        usage: """
            verify-token keys (--provider <name> | --issuer <url> |
                --keys <file or url>) [<options>]
            """,
        discussion: """
            Fetched keys are checked as by verify. With --keys <file>, nothing is fetched. The thumbprint (RFC 7638) identifies \
            a key independently of its ID.
            """
    )

    @OptionGroup(title: "The issuer") var issuer: IssuerOptions
    @OptionGroup(title: "The keys") var keys: KeyOptions

    @Option(help: "The format of the report.")
    var format = ReportFormat.text

    func validate() throws {
        let nobody = "--provider <name>, --issuer <url> or --keys <file or url>: the issuer or the location of the keys"
        let isNamed = issuer.isGiven || keys.keys != nil
        try VerifyToken.require(
            nothing: (isNamed ? [] : [nobody]) + issuer.missing + (issuer.isGiven ? keys.missing : [])
        )
        _ = try keys.source(of: provider())
    }

    func run() async throws {
        let provider = try provider()
        let source = try keys.source(of: provider)
        let result: Result<JSONWebKeySet, VerificationUnavailable> = await source.serving {
            do throws(VerificationUnavailable) {
                let keys = try await source.keys(of: provider)
                return .success(keys)
            } catch {
                return .failure(error)
            }
        }
        let report = KeyReport(provider: issuer.isGiven ? provider.name : nil, origin: source.origin, keys: result)
        switch format {
        case .text: try show(report.text(palette: .forOutput))
        case .json: try show(encodedJSON(report, pretty: false))
        }
        if report.usable.isEmpty { throw source.failureStatus }
    }

    private func provider() throws(ValidationError) -> Provider {
        guard issuer.isGiven else { return keys.unnamedProvider }
        do throws(PolicyError) {
            return try issuer.tokenProvider()
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
#endif
