// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import LoginServer
internal import LoginTokens

/// The HTTP request that a DPoP proof is for.
struct ProofRequestOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The method of the request, for example GET. Methods are case-sensitive.",
            valueName: "method"
        )
    )
    var method: String?

    @Option(
        help: ArgumentHelp(
            "The URL of the request as the client knows it; query and fragment are ignored.",
            valueName: "url"
        )
    )
    var url: String?

    /// The options that a proof requires.
    var missing: [String] {
        (method == nil ? ["--method <method>: the method of the request"] : [])
            + (url == nil ? ["--url <url>: the URL of the request"] : [])
    }

    func validate() throws {
        guard method != "", url != "" else { throw ValidationError("The value of --method or --url is empty.") }
    }

    /// The URL without query and fragment, as it is in the claim `htu` (RFC 9449 §4.2).
    var target: String { String((url ?? "").prefix { $0 != "?" && $0 != "#" }) }

    /// Returns the request.
    ///
    /// - Parameters:
    ///   - proofs: The values of its `DPoP` header fields.
    ///   - certificate: The client certificate of its connection; nil if there is none.
    /// - Returns: The request.
    func request(proofs: [String], certificate: ClientCertificate? = nil) -> DPoPRequest {
        DPoPRequest(method: method ?? "", url: target, proofs: proofs, certificate: certificate)
    }
}

/// The access token that is sent with a DPoP proof.
struct PresentedTokenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The access token that is sent with the proof; ath is its hash.", valueName: "file"),
        completion: .file()
    )
    var accessTokenFile: String?

    /// Reads the access token; nil if no file is given.
    func read() throws(FileProblem) -> String? {
        try accessTokenFile.map(readCredential)
    }
}
#endif
