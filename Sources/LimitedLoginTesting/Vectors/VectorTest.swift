// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// A test: an input with its expected result.
struct VectorTest: Sendable {
    let id: String
    /// Whether the input must be accepted: `verified`, `usable` or `accepted`.
    let isAccepted: Bool
    /// The accepted refusal codes; nil to accept any.
    let codes: [String]?
    /// The requests that are sent before this one, in order.
    let requestsBefore: [VectorRequest]
    let object: VectorObject

    init(_ value: JSONValue, kind: VectorGroup.Kind, _ place: String) throws(VectorFileError) {
        let members: Set<String>
        let (accepted, refused): (String, String)
        switch kind {
        case .idToken:
            members = ["token", "nonce", "accessToken", "code", "claims", "profile", "notes"]
            (accepted, refused) = ("verified", "refused")
        case .jws:
            members = ["token", "payload"]
            (accepted, refused) = ("verified", "refused")
        case .signature:
            members = ["message", "signature"]
            (accepted, refused) = ("verified", "refused")
        case .key:
            members = ["key"]
            (accepted, refused) = ("usable", "unusable")
        case .json:
            members = ["text"]
            (accepted, refused) = ("accepted", "refused")
        case .accessToken:
            members = ["token", "claims", "client", "scopes", "roles", "groups", "entitlements"]
            (accepted, refused) = ("verified", "refused")
        case .dpop:
            members = VectorRequest.members.union(["before", "jkt"])
            (accepted, refused) = ("verified", "refused")
        case .secret:
            members = ["secret"]
            (accepted, refused) = ("usable", "unusable")
        }
        object = try VectorObject(
            value,
            "\(place): a test",
            members: members.union(["id", "comment", "result"]).union(kind.hasCodes ? ["codes"] : [])
        )
        id = try object.string("id")
        _ = try object.string("comment")
        _ = try object.members("claims")
        _ = try object.members("profile")
        for name in ["notes", "scopes", "roles", "groups", "entitlements"] { _ = try object.strings(name) }
        for name in ["client", "jkt"] where object.value[name]?.kind != .null && object.value[name] != nil {
            _ = try object.string(name)
        }
        for name in ["accessToken", "code"] where object.value[name] != nil { _ = try object.string(name) }
        let result = try object.string("result")
        guard result == accepted || result == refused else {
            throw VectorFileError("\(place): \(quoted(id)): result \(quoted(result)) is not one of its kind")
        }
        isAccepted = result == accepted
        codes = try object.strings("codes")
        requestsBefore = try Self.requestsBefore(object, place)
    }

    private static func requestsBefore(
        _ test: VectorObject,
        _ place: String
    ) throws(VectorFileError) -> [VectorRequest] {
        guard test.value["before"] != nil else { return [] }
        var requests: [VectorRequest] = []
        for value in try test.array("before") {
            let members = VectorRequest.members.union(["result"])
            let request = try VectorObject(value, "\(place): a request before a test", members: members)
            // Without its own proofs it would be the test itself.
            _ = try request.array("proofs")
            requests.append(VectorRequest(request, of: test))
        }
        return requests
    }

    /// Returns the access token or authorization code issued with the token, whose hash the token must then carry.
    func companion(_ name: String) throws(VectorFileError) -> HashExpectation? {
        object.value[name] == nil ? nil : .required(try object.string(name))
    }

    /// Returns the difference from the expectation for an input that was accepted.
    func acceptedFailure(_ found: @autoclosure () -> String? = nil) -> String? {
        isAccepted ? found() : "accepted, expected a refusal\(codes.map { " by \($0)" } ?? "")"
    }

    /// Returns the difference from the expectation for an input that was refused.
    func refusedFailure(_ reason: String, code: String? = nil) -> String? {
        guard !isAccepted else { return "expected to be accepted, but: \(reason)" }
        guard let codes, let code, !codes.contains(code) else { return nil }
        return "refused with the code \(code), expected \(codes.joined(separator: " or ")): \(reason)"
    }
}
