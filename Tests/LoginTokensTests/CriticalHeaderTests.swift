// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 7515 §4.1.11: a recipient that does not understand a critical parameter must refuse the token.
///
/// This library understands none.
@Suite struct CriticalHeaderTests {
    let bench: Bench

    init() throws {
        bench = try Bench()
    }

    @Test(.rule("T-010"), arguments: ["exp2", "exp", "http://example.invalid/undefined", "b64x"])
    func `a token with a critical extension is refused, and the refusal names the extension`(name: String) throws {
        let refusal = expectRefusal(.criticalHeader) {
            try bench.verify { token in
                token.header["crit"] = [.string(name)]
                token.header[name] = 1
            }
        }
        #expect(refusal?.member == "crit")
        #expect(refusal?.description.contains(name) == true)
    }

    @Test(.rule("T-010"))
    func `an extension that is not critical is ignored`() throws {
        try bench.verify { $0.header["exp2"] = 1 }
        try bench.verify { $0.header["Crit"] = ["exp2"] }
    }

    @Test(
        .rule("T-011"),
        arguments: [
            [], "exp", "", [1], [.null], [["exp"]], ["a", "a"], [""], .null, true, 0, [:], ["exp": true],
        ] as [TestJSON]
    )
    func `a malformed crit list is refused`(critical: TestJSON) throws {
        expectRefusal(.criticalHeader) {
            try bench.verify { token in
                token.header["crit"] = critical
                token.header["a"] = 1
                token.header["exp"] = 1
            }
        }
    }

    @Test(.rule("T-012"), arguments: ["alg", "kid", "typ", "crit", "jku", "x5c"])
    func `a registered header parameter in crit is refused`(name: String) throws {
        expectRefusal(.criticalHeader) {
            try bench.verify { token in
                token.header["crit"] = [.string(name)]
                if token.header[name] == nil { token.header[name] = "x" }
            }
        }
    }

    @Test(.rule("T-013"), arguments: ["exp2", "b64"])
    func `a critical parameter that is absent from the header is refused`(name: String) throws {
        expectRefusal(.criticalHeader) { try bench.verify { $0.header["crit"] = [.string(name)] } }
    }

    @Test(.rule("T-014"), arguments: [false, .null, 0, 1, "true", "false", [true], [:]] as [TestJSON])
    func `b64 other than true is refused, critical or not`(encoded: TestJSON) throws {
        let refusal = expectRefusal(.criticalHeader) { try bench.verify { $0.header["b64"] = encoded } }
        #expect(refusal?.member == "b64")
        expectRefusal(.criticalHeader) {
            try bench.verify { token in
                token.header["b64"] = encoded
                token.header["crit"] = ["b64"]
            }
        }
    }

    /// RFC 7797 §6: `b64` with the value true states the default.
    ///
    /// In `crit` it is still an unsupported extension.
    @Test(.rule("T-014"))
    func `b64 true is accepted unless it is critical`() throws {
        try bench.verify { $0.header["b64"] = true }
        expectRefusal(.criticalHeader) {
            try bench.verify { token in
                token.header["b64"] = true
                token.header["crit"] = ["b64"]
            }
        }
    }
}
