// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// The policy of a group of DPoP proofs.
extension VectorPolicy {
    func proofPolicy() throws -> DPoPPolicy {
        guard object.value["algorithms"] != nil, let maximumAge = try object.seconds("maxAge") else {
            throw VectorFileError("policy: algorithms or maxAge is missing")
        }
        return try DPoPPolicy(
            algorithms: algorithms,
            maximumAge: .seconds(maximumAge),
            leeway: .seconds(object.seconds("leeway") ?? 0),
            nonces: nonces(),
            requiresBoundTokens: object.boolean("requireBoundTokens") ?? false,
            allowPublishedTestKeys: true
        )
    }

    private func nonces() throws -> DPoPNonces? {
        guard let value = object.value["nonces"] else { return nil }
        let nonces = try VectorObject(value, "policy: nonces", members: ["secret", "lifetime"])
        guard let lifetime = try nonces.seconds("lifetime") else {
            throw VectorFileError("policy: lifetime of nonces is missing")
        }
        return try DPoPNonces(secret: nonces.bytes("secret"), lifetime: .seconds(lifetime))
    }
}
