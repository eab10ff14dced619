// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginText
internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The runner for each kind of test, which returns the difference from the expectation, or nil.
extension VectorGroup {
    func verifyIDToken(_ test: VectorTest) throws -> String? {
        guard let policy, let keys else { throw VectorFileError("policy or keys are missing") }
        let provider = try policy.provider()
        let snapshot = KeySnapshot(provider: provider, keys: keys)
        let verifier = try policy.verifier(keys: snapshot)
        let nonce = try policy.nonce(test.object.value["nonce"])
        let text = try test.object.string("token")
        let (accessToken, code) = (try test.companion("accessToken"), try test.companion("code"))
        let token: VerifiedToken
        do throws(TokenRefusal) {
            token = try verifier.verify(
                text,
                nonce: nonce,
                accessToken: accessToken,
                code: code,
                with: snapshot
            )
        } catch {
            return test.refusedFailure(error.description, code: error.code.rawValue)
        }
        let difference = try difference(test, token)
        return test.acceptedFailure(difference)
    }

    func verifyJWS(_ test: VectorTest) throws -> String? {
        guard let policy, let keys else { throw VectorFileError("policy or keys are missing") }
        let text = try test.object.string("token")
        let expected = test.object.value["payload"] == nil ? nil : try test.object.string("payload")
        do throws(TokenRefusal) {
            let jws = try CompactJWS(text)
            let verified =
                if let secret = policy.secret {
                    try jws.verified(with: secret)
                } else {
                    try jws.verified(with: keys, algorithms: policy.algorithms)
                }
            return test.acceptedFailure(
                expected.map { $0 == Base64URL.encode(verified.payload) } ?? true ? nil : "the payload is another"
            )
        } catch {
            return test.refusedFailure(error.description, code: error.code.rawValue)
        }
    }

    func verifySignature(_ test: VectorTest) throws -> String? {
        guard let algorithm = policy?.algorithms.first, policy?.algorithms.count == 1,
            let key = keys?.keys.first, keys?.keys.count == 1
        else { throw VectorFileError("the group needs one algorithm and one usable key") }
        let message = try test.object.bytes("message")
        let signature = try test.object.bytes("signature")
        let isValid = key.isValidSignature(signature, of: message, algorithm: algorithm)
        return isValid ? test.acceptedFailure() : test.refusedFailure("not valid", code: "signature")
    }

    func readKey(_ test: VectorTest) throws -> String? {
        guard let json = test.object.value["key"] else { throw VectorFileError("key is missing") }
        guard let algorithms = policy?.algorithms else { throw VectorFileError("policy is missing") }
        do throws(UnusableKey) {
            let key = try JSONWebKey(json, allowPublishedTestKeys: true)
            return key.algorithms.isDisjoint(with: algorithms)
                ? test.refusedFailure("not for the policy's algorithms")
                : test.acceptedFailure()
        } catch {
            return test.refusedFailure(error.description)
        }
    }

    func readSecret(_ test: VectorTest) throws -> String? {
        guard let value = test.object.value["secret"] else { throw VectorFileError("secret is missing") }
        let (octets, algorithm) = try VectorPolicy.octets(of: value, quoted(test.id))
        do throws(PolicyError) {
            _ = try SharedSecret(octets: octets, algorithm: algorithm, allowPublishedTestSecrets: true)
            return test.acceptedFailure()
        } catch {
            return test.refusedFailure(error.description)
        }
    }

    func readJSON(_ test: VectorTest) -> String? {
        guard let text = test.object.value["text"]?.string, let bytes = Data(base64Encoded: text) else {
            return "cannot be run: text is not base64"
        }
        do throws(JSONError) {
            _ = try JSONDocument.read(Array(bytes))
            return test.acceptedFailure()
        } catch {
            return test.refusedFailure(error.description)
        }
    }

    /// Returns the first difference between a verified token and the expected claims, profile and notes.
    private func difference(_ test: VectorTest, _ token: VerifiedToken) throws -> String? {
        if let wrong = try test.object.members("claims").first(where: { token.claims[$0.name] != $0.value }) {
            return "claim \(wrong.name) is another"
        }
        guard test.object.value["profile"] != nil || test.object.value["notes"] != nil else { return nil }
        guard let claims = AuthenticationTokenClaims(token) else {
            throw VectorFileError("profile and notes need the provider facebook")
        }
        let profile = Profile(claims)
        let notes = Set(profile.notes.map(\.claim))
        let expectedNotes = Set(try test.object.strings("notes") ?? [])
        guard notes == expectedNotes else { return "notes are \(notes.sorted()), expected \(expectedNotes.sorted())" }
        let found = try JSONDocument.read(Array(JSONEncoder().encode(profile))).root
        for (name, expected) in try test.object.members("profile") {
            guard Self.profileMembers.contains(name) else { throw VectorFileError("no profile has \(quoted(name))") }
            let agrees = expected.kind == .null ? found[name] == nil : found[name] == expected
            guard agrees else { return "profile member \(name) is another" }
        }
        return nil
    }

    private static let profileMembers: Set<String> = [
        "userID", "firstName", "middleName", "lastName", "name", "linkURL", "imageURL", "email", "friendIDs",
        "birthday",
        "ageRange", "hometown", "location", "gender",
    ]
}
