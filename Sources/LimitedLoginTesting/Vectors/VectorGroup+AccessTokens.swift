// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// The runners for access tokens and DPoP proofs, which return the difference from the expectation, or nil.
extension VectorGroup {
    func verifyAccessToken(_ test: VectorTest) throws -> String? {
        guard let policy, let keys else { throw VectorFileError("policy or keys are missing") }
        let snapshot = KeySnapshot(provider: try policy.accessTokenPolicy().issuer.provider, keys: keys)
        let verifier = try policy.accessTokenVerifier(keys: snapshot)
        let text = try test.object.string("token")
        let token: VerifiedAccessToken
        do throws(TokenRefusal) {
            token = try verifier.verify(text, with: snapshot)
        } catch {
            return test.refusedFailure(error.description, code: error.code.rawValue)
        }
        let difference = try accessTokenDifference(test.object, token)
        return test.acceptedFailure(difference)
    }

    func verifyRequest(_ test: VectorTest) async throws -> String? {
        guard let policy else { throw VectorFileError("policy is missing") }
        let ledger = InMemoryDPoPLedger()
        for (index, earlier) in test.requestsBefore.enumerated() {
            let verdict = try await earlier.verify(policy, ledger: ledger)
            guard case .verified = verdict else {
                guard try !earlier.isAccepted() else { return "request \(index + 1) before it is refused" }
                continue
            }
            guard try earlier.isAccepted() else { return "request \(index + 1) before it is accepted" }
        }
        switch try await VectorRequest(test.object, of: test.object).verify(policy, ledger: ledger) {
        case .verified(let keyThumbprint):
            // A test without the member would not say whether a proof was used.
            guard !test.isAccepted || test.object.value["jkt"] != nil else { throw VectorFileError("jkt is missing") }
            let isExpected = test.object.value["jkt"]?.string == keyThumbprint
            return test.acceptedFailure(isExpected ? nil : "jkt is \(keyThumbprint.map { quoted($0) } ?? "null")")
        case .refused(let code, let description):
            return test.refusedFailure(description, code: code)
        }
    }

    /// Returns the first difference between a verified token and the expected values.
    private func accessTokenDifference(_ expected: VectorObject, _ token: VerifiedAccessToken) throws -> String? {
        if let wrong = try expected.members("claims").first(where: { token.claims[$0.name] != $0.value }) {
            return "claim \(wrong.name) is another"
        }
        if let client = expected.value["client"], client.string != token.clientID { return "client is another" }
        let lists = [
            ("scopes", token.scopes.sorted()), ("roles", token.roles), ("groups", token.groups),
            ("entitlements", token.entitlements),
        ]
        for (name, found) in lists {
            guard let wanted = try expected.strings(name), wanted != found else { continue }
            return "\(name) is \(quoted(found)), expected \(quoted(wanted))"
        }
        return nil
    }
}
