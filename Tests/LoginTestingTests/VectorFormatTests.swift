// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLoginTesting
internal import LoginTesting
internal import Testing

/// Invalid files of test vectors.
///
/// A reader that ignores unknown members would report a case as passed that it never ran.
@Suite struct VectorFormatTests {
    let bench = VectorBench()

    @Test(arguments: VectorBench.kinds)
    func `a file of each kind is read`(kind: String) throws {
        let file = try VectorFile(json: VectorBench.file(bench.group(kind)).text.utf8)
        #expect(file.count == 1)
        #expect(file.generator == "a test")
        #expect(file.expectedCodes.isEmpty)
    }

    @Test func `the codes that all tests expect are collected`() throws {
        let first = bench.group("jws") { $0["codes"] = ["signature", "encoding"] }
        let second = bench.group("id-token") {
            $0["id"] = "test-2"
            $0["codes"] = ["signature", "expired"]
        }
        let file = try VectorFile(json: VectorBench.file(first, second).text.utf8)
        #expect(file.count == 2)
        #expect(file.expectedCodes == ["signature", "encoding", "expired"])
    }

    @Test func `two tests with the same ID are refused`() {
        let groups = [bench.group("jws"), bench.group("id-token")]
        #expect(throws: VectorFileError.self) { try VectorFile(json: VectorBench.file(groups[0], groups[1]).text.utf8) }
    }

    @Test func `a file or a group without tests is refused`() {
        expectRefused { $0["groups"] = [] }
        var group = bench.group("jws")
        group["tests"] = []
        #expect(throws: VectorFileError.self) { try VectorFile(json: VectorBench.file(group).text.utf8) }
    }

    @Test(
        arguments: [("claims", 7), ("profile", "x"), ("notes", 9), ("comment", 5), ("comment", nil)]
            as [(String, TestJSON?)]
    )
    func `a test with a member of the wrong type is refused, even if it expects a refusal`(
        name: String,
        value: TestJSON?
    ) {
        let group = bench.group("id-token") {
            $0["result"] = "refused"
            $0[name] = value
        }
        #expect(throws: VectorFileError.self) { try VectorFile(json: VectorBench.file(group).text.utf8) }
    }

    @Test(arguments: ["login-vectors/4", "login-vectors", "LOGIN-VECTORS/1", "", nil, 1, .null] as [TestJSON?])
    func `an unknown format is refused`(format: TestJSON?) {
        expectRefused { $0["format"] = format }
    }

    @Test(arguments: VectorBench.kinds)
    func `a file of an earlier format has no later kinds`(kind: String) throws {
        var file = VectorBench.file(bench.group(kind))
        for (format, later) in [
            ("login-vectors/1", ["access-token", "dpop", "secret"]), ("login-vectors/2", ["secret"]),
        ] {
            file["format"] = .string(format)
            if later.contains(kind) {
                #expect(throws: VectorFileError.self) { try VectorFile(json: file.text.utf8) }
            } else {
                #expect(try VectorFile(json: file.text.utf8).count == 1)
            }
        }
    }

    @Test(arguments: ["id-token", "jws", "access-token", "signature", "key"])
    func `a policy has either algorithms or, in the third format, a secret`(kind: String) throws {
        var group = bench.group(kind)
        group["policy"]?["algorithms"] = nil
        group["policy"]?["secret"] = VectorBench.secret
        if ["signature", "key"].contains(kind) { return expectRefused(group: group) }
        var file = VectorBench.file(group)
        #expect(try VectorFile(json: file.text.utf8).count == 1)
        file["format"] = "login-vectors/2"
        #expect(throws: VectorFileError.self) { try VectorFile(json: file.text.utf8) }
        group["policy"]?["algorithms"] = ["RS256"]
        expectRefused(group: group)
    }

    @Test func `a malformed or unusable secret of a policy is refused`() {
        for (member, value) in [
            ("algorithm", "HS1"), ("algorithm", "RS256"), ("octets", "AAAA"), ("octets", "!"), ("octets", nil),
            ("text", "x"),
        ] as [(String, TestJSON?)] {
            var group = bench.group("id-token")
            group["policy"]?["secret"] = VectorBench.secret
            group["policy"]?["secret"]?[member] = value
            expectRefused(group: group)
        }
    }

    @Test func `a group of proofs with keys is refused`() {
        expectRefused("dpop") { $0["keys"] = bench.issuer.keySet }
    }

    @Test(arguments: ["generator", "groups"])
    func `a file without a required member is refused`(member: String) {
        expectRefused { $0[member] = nil }
    }

    @Test(
        arguments: [.null, [], "text", .raw(""), .raw("{"), .raw("{} {}"), .raw("{\"format\":1,\"format\":1}")]
            as [TestJSON]
    )
    func `a file that is not a single strict JSON object is refused`(json: TestJSON) {
        #expect(throws: VectorFileError.self) { try VectorFile(json: json.text.utf8) }
    }

    @Test func `an unknown member of the file is refused`() {
        let error = expectRefused { $0["schema"] = "x" }
        #expect(error?.description.contains("\"schema\"") == true)
    }

    @Test(arguments: VectorBench.kinds)
    func `an unknown member of a group is refused`(kind: String) {
        expectRefused(kind) { $0["comment"] = "x" }
    }

    @Test func `an unknown member of a policy is refused`() {
        expectRefused("id-token") { $0["policy"]?["maxage"] = 1 }
        expectRefused("jws") { $0["policy"]?["alg"] = "RS256" }
        expectRefused("access-token") { $0["policy"]?["nonce"] = "absent" }
        expectRefused("dpop") { $0["policy"]?["audiences"] = ["x"] }
    }

    @Test(arguments: VectorBench.kinds)
    func `an unknown member of a test is refused`(kind: String) {
        expectRefused(group: bench.group(kind) { $0["flags"] = [] })
    }

    /// Each kind has its own members: those of another kind would not be checked.
    @Test(
        arguments: [
            ("jws", "claims"), ("jws", "profile"), ("jws", "nonce"), ("id-token", "payload"), ("signature", "token"),
            ("signature", "payload"), ("key", "token"), ("json", "key"), ("json", "payload"), ("access-token", "nonce"),
            ("id-token", "client"), ("dpop", "claims"), ("access-token", "proofs"), ("secret", "key"),
            ("secret", "codes"), ("key", "secret"),
        ]
    )
    func `a member of another kind of test is refused`(kind: String, member: String) {
        expectRefused(group: bench.group(kind) { $0[member] = "x" })
    }

    @Test(arguments: ["ID-TOKEN", "jwe", "", nil, 1] as [TestJSON?])
    func `an unknown kind is refused`(kind: TestJSON?) {
        expectRefused("jws") { $0["kind"] = kind }
    }

    @Test(
        arguments: [
            ("id-token", ["valid", "usable", "accepted", "", nil, true]), ("jws", ["accepted", "usable"]),
            ("signature", ["accepted", "valid"]), ("key", ["verified", "refused", "accepted"]),
            ("json", ["verified", "unusable"]), ("access-token", ["accepted", "valid"]),
            ("dpop", ["accepted", "usable"]), ("secret", ["verified", "refused"]),
        ] as [(String, [TestJSON?])]
    )
    func `an unknown result, or one of another kind, is refused`(kind: String, results: [TestJSON?]) {
        for result in results { expectRefused(group: bench.group(kind) { $0["result"] = result }) }
    }

    @Test(arguments: VectorBench.kinds)
    func `a test without an ID is refused`(kind: String) {
        expectRefused(group: bench.group(kind) { $0["id"] = nil })
    }

    @Test(arguments: ["signature", 1, .null, ["signature", 1]] as [TestJSON])
    func `codes that are not a list of strings are refused`(codes: TestJSON) {
        expectRefused(group: bench.group("jws") { $0["codes"] = codes })
    }

    @Test(arguments: [["ES256K"], ["RS256", "HS256"], ["none"], ["rs256"], "RS256", [1], .null] as [TestJSON])
    func `an unsupported algorithm is refused`(algorithms: TestJSON) {
        for kind in VectorBench.kinds where !["json", "secret"].contains(kind) {
            expectRefused(kind) { $0["policy"]?["algorithms"] = algorithms }
        }
    }

    @Test(arguments: [[:], ["keys": []], ["keys": 1], [], .null] as [TestJSON])
    func `an invalid key set is refused`(keys: TestJSON) {
        expectRefused("jws") { $0["keys"] = keys }
    }

    /// The tests of the vector expect that such a key is set aside.
    @Test func `a key set with only an unusable key is read`() throws {
        try read("jws") { $0["keys"] = ["keys": [1]] }
    }

    @discardableResult
    private func expectRefused(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout TestJSON) -> Void
    ) -> VectorFileError? {
        var file = VectorBench.file(bench.group("jws"))
        change(&file)
        return #expect(throws: VectorFileError.self, sourceLocation: sourceLocation) {
            try VectorFile(json: file.text.utf8)
        }
    }

    private func expectRefused(
        _ kind: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout TestJSON) -> Void
    ) {
        #expect(throws: VectorFileError.self, sourceLocation: sourceLocation) { try read(kind, change) }
    }

    private func expectRefused(group: TestJSON, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(throws: VectorFileError.self, sourceLocation: sourceLocation) {
            try VectorFile(json: VectorBench.file(group).text.utf8)
        }
    }

    private func read(_ kind: String, _ change: (inout TestJSON) -> Void) throws {
        var group = bench.group(kind)
        change(&group)
        _ = try VectorFile(json: VectorBench.file(group).text.utf8)
    }
}
