// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import LoginTokens

/// The options for the places of an issuer's documents.
struct DocumentOptions: ParsableArguments {
    @Option(
        name: .customLong("discovery-url"),
        help: ArgumentHelp(
            "The URL of the discovery document, if it is not at the issuer. It must have the issuer, or that of --discovery-issuer.",
            valueName: "url"
        )
    )
    var discoveryURL: String?

    @Option(
        help: ArgumentHelp(
            "Another issuer that the discovery document may have. The issuer of tokens stays that of --issuer.",
            valueName: "url"
        )
    )
    var discoveryIssuer: String?

    func validate() throws {
        try VerifyToken.requireValues(of: [
            "--discovery-url": discoveryURL.map { [$0] } ?? [],
            "--discovery-issuer": discoveryIssuer.map { [$0] } ?? [],
        ])
    }

    /// The given options, which concern the discovery document only.
    var given: [String] {
        [discoveryURL.map { _ in "--discovery-url" }, discoveryIssuer.map { _ in "--discovery-issuer" }]
            .compactMap(\.self)
    }

    /// Applies the options to the documents of a provider.
    func apply(to documents: inout Provider.Documents) {
        documents.discoveryURL = discoveryURL
        documents.discoveryIssuer = discoveryIssuer
    }
}
#endif
