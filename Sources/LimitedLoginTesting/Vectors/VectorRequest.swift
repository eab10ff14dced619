// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// A request with a proof or a client certificate: that of a test, or one that was sent before it.
struct VectorRequest: Sendable {
    /// The result of verifying a request.
    enum Verdict: Sendable {
        /// Accepted, with the thumbprint of the proof's key; nil if the request needs no proof.
        case verified(keyThumbprint: String?)
        case refused(code: String, description: String)
    }

    static let members: Set<String> = ["method", "url", "proofs", "token", "cnf", "certificate", "now"]

    private let object: VectorObject
    private let test: VectorObject

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - object: The request.
    ///   - test: The test, whose members apply where the request has none.
    init(_ object: VectorObject, of test: VectorObject) {
        self.object = object
        self.test = test
    }

    /// Whether the request must be accepted, for one that was sent before the test.
    func isAccepted() throws -> Bool {
        switch try object.string("result") {
        case "verified": return true
        case "refused": return false
        default: throw VectorFileError("a request before a test: result is neither verified nor refused")
        }
    }

    /// Verifies the request, and records the use of its proof in the ledger.
    func verify(_ policy: VectorPolicy, ledger: any DPoPLedger) async throws -> Verdict {
        let clock = try policy.clock(at: source("now").seconds("now"))
        let verifier = DPoPVerifier(policy: try policy.proofPolicy(), ledger: ledger, clock: clock)
        let token = source("token").value["token"] == nil ? nil : try source("token").string("token")
        guard let proofs = try source("proofs").strings("proofs") else { throw VectorFileError("proofs is missing") }
        let bound = try confirmation()
        let certificate: ClientCertificate?
        switch try readCertificate() {
        case nil: certificate = nil
        case .success(let read)?: certificate = read
        case .failure(let refusal)?:
            return .refused(code: refusal.code.rawValue, description: refusal.description)
        }
        let request = DPoPRequest(
            method: try source("method").string("method"),
            url: try source("url").string("url"),
            proofs: proofs,
            certificate: certificate
        )
        do throws(VerificationError) {
            guard let token else {
                return .verified(keyThumbprint: try await verifier.verify(request).keyThumbprint)
            }
            let proof = try await verifier.verify(request, token: token, confirmation: bound)
            return .verified(keyThumbprint: proof?.keyThumbprint)
        } catch {
            return .refused(code: error.code.rawValue, description: error.description)
        }
    }

    /// Returns the object that determines a member.
    private func source(_ name: String) -> VectorObject {
        object.value[name] == nil ? test : object
    }

    /// Returns the confirmation of a token with this claim `cnf`.
    private func confirmation() throws -> TokenConfirmation {
        guard let value = source("cnf").value["cnf"] else { return .unbound }
        let json = JSONWriter.object {
            if let text = value.string { $0.add("cnf", text) } else { $0.add("cnf", json: value.source) }
        }
        return try Claims(json).confirmation
    }

    /// Reads the client certificate, which may be malformed; nil if there is none.
    private func readCertificate() throws -> Result<ClientCertificate, TokenRefusal>? {
        guard let value = source("certificate").value["certificate"] else { return nil }
        let form = try VectorObject(value, "certificate", members: ["clientCert", "escapedPEM", "der"])
        guard let members = value.members, let name = members.first?.name, members.count == 1 else {
            throw VectorFileError("certificate does not have exactly one form")
        }
        if name == "der" {
            let bytes = try form.bytes(name)
            return Result { () throws(TokenRefusal) in try ClientCertificate(der: bytes) }
        }
        let text = try form.string(name)
        return Result { () throws(TokenRefusal) in
            try name == "clientCert" ? ClientCertificate(clientCertField: text) : ClientCertificate(escapedPEM: text)
        }
    }
}
