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

    @Option(
        name: .customLong("content-type"),
        help: ArgumentHelp(
            "A further media type that the documents may have, for example text/plain; missing for none. May be repeated.",
            valueName: "type"
        )
    )
    var contentTypes: [String] = []

    @Flag(
        name: .customLong("follow-redirects"),
        help: "Follow up to three redirects of the documents, within the same scheme, host and port."
    )
    var followsRedirects = false

    @Option(
        name: .customLong("bearer-file"),
        help: ArgumentHelp(
            "Send the bearer token in this file with the requests for the documents, over https, to their configured origin only. The file must belong to you or to root, and only its owner may be able to write it.",
            valueName: "file"
        ),
        completion: .file()
    )
    var bearerFile: String?

    func validate() throws {
        try VerifyToken.requireValues(of: [
            "--content-type": contentTypes, "--bearer-file": bearerFile.map { [$0] } ?? [],
            "--discovery-url": discoveryURL.map { [$0] } ?? [],
            "--discovery-issuer": discoveryIssuer.map { [$0] } ?? [],
        ])
        var documents = Provider.Documents()
        apply(to: &documents)
        do throws(TransportFailure) { try documents.check() } catch {
            throw ValidationError("--content-type: \(error.detail)")
        }
    }

    /// The given options that concern the discovery document only.
    var ofDiscovery: [String] {
        [discoveryURL.map { _ in "--discovery-url" }, discoveryIssuer.map { _ in "--discovery-issuer" }]
            .compactMap(\.self)
    }

    /// The given options.
    var given: [String] {
        ofDiscovery + (contentTypes.isEmpty ? [] : ["--content-type"])
            + (followsRedirects ? ["--follow-redirects"] : []) + (bearerFile == nil ? [] : ["--bearer-file"])
    }

    /// Applies the options to the documents of a provider.
    func apply(to documents: inout Provider.Documents) {
        documents.discoveryURL = discoveryURL
        documents.discoveryIssuer = discoveryIssuer
        documents.contentTypes = Set(contentTypes.map { $0.lowercased() })
        documents.followsRedirects = followsRedirects
        documents.bearerTokenFile = bearerFile
    }
}
#endif
