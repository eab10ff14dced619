// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import HummingbirdTesting
import LoginAccounts
import LoginHTTP
import LoginTesting
import LoginTokens
import NIOCore
import Testing

@testable import LoginHummingbird

/// A service without providers, and a user of it.
struct AdapterBench {
    let login: LoginService
    let session: Session
    let bearer: HTTPFields

    init() async throws {
        let bench = try LoginTestBench()
        login = try LoginService(
            publicURL: "https://login.example.com",
            providers: [],
            store: bench.store,
            secrets: bench.secrets,
            transport: StubTransport(),
            clock: bench.clock
        )
        let result = try await bench.signIn("alice@example.com")
        session = result.session
        bearer = [.authorization: "Bearer \(result.tokens.sessionToken)"]
    }
}

extension TestClientProtocol {
    /// Sends a request, and returns the response.
    func ask(
        _ method: HTTPRequest.Method = .get,
        _ uri: String,
        _ headers: HTTPFields = [:],
        _ body: String? = nil
    ) async throws -> TestResponse {
        try await executeRequest(uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
    }
}

extension TestResponse {
    var text: String { String(buffer: body) }

    /// The code of a problem; nil for another response.
    var code: String? {
        let json = try? JSONDocument.read(Array(body.readableBytesView)).root
        return json?["code"]?.string
    }
}
#endif
