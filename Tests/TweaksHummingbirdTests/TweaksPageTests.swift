// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import Tweaks
import TweaksHummingbird

/// The page on any router, its guard, and its JSON.
@Suite struct TweaksPageTests {
    private static let password = "correct horse battery staple"

    /// A router with the page at a path, guarded by a password.
    private struct Bench {
        let tweaks: Tweaks
        let pause: Tweak<Int>
        let router = Router()

        init(_ persistence: any TweakPersistence = InMemoryTweaks()) throws {
            tweaks = Tweaks(persistence: persistence)
            pause = Tweak("import", "queue", "pause", default: 30, in: 0...600, in: tweaks)
            let password = try TweaksPageTests.withPasswordFile(TweaksPageTests.password, mode: 0o600) { file in
                try BasicPassword(contentsOf: file)
            }
            TweaksPage<BasicRequestContext>(tweaks) { request, _ in try password.check(request) }.addRoutes(
                to: router,
                at: "/ops/tweaks/"
            )
        }

        func serving(_ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void) async throws {
            try await Application(router: router).test(.router) { client in try await body(client) }
        }
    }

    /// A persistence that is always unavailable.
    private struct Unavailable: TweakPersistence {
        private static let error = TweakError(.store, "the disk is gone")

        func revision() async throws(TweakError) -> Int64 { throw Self.error }

        func load() async throws(TweakError) -> TweakOverrides { throw Self.error }

        func history(limit: Int) async throws(TweakError) -> [TweakChange] { throw Self.error }

        func set(_ id: String, to value: String?, expecting revision: Int64, by author: String)
            async throws(TweakError)
        { throw Self.error }

        func set(_ values: [String: String?], expecting revision: Int64, by author: String) async throws(TweakError) {
            throw Self.error
        }
    }

    private static func credentials(_ name: String = "ada", _ password: String = TweaksPageTests.password) -> HTTPFields
    {
        [.authorization: "Basic \(Data("\(name):\(password)".utf8).base64EncodedString())"]
    }

    private static func site(_ value: String) throws -> HTTPFields {
        let name = try #require(HTTPField.Name("Sec-Fetch-Site"))
        return [name: value]
    }

    private static func merged(_ fields: HTTPFields...) -> HTTPFields { HTTPFields(fields.flatMap { Array($0) }) }

    private static func put(
        _ client: any TestClientProtocol,
        _ uri: String,
        _ json: String,
        _ headers: HTTPFields = TweaksPageTests.credentials(),
        type: String = "application/json"
    ) async throws -> TestResponse {
        try await client.execute(
            uri: uri,
            method: .put,
            headers: merged(headers, [.contentType: type]),
            body: ByteBuffer(string: json)
        )
    }

    @Test func `the page is served at its path to operators with the password`() async throws {
        try await Bench().serving { client in
            let page = try await client.execute(uri: "/ops/tweaks", method: .get, headers: Self.credentials())
            #expect(page.status == .ok)
            let html = String(buffer: page.body)
            #expect(html.contains(#"action="/ops/tweaks/tweaks/import.queue.pause""#) && !html.contains("<script"))
            let policy = try #require(page.headers[.contentSecurityPolicy])
            #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
            let style = try await client.execute(uri: "/ops/tweaks/style.css", method: .get)
            #expect(style.headers[.contentType] == "text/css; charset=utf-8")
        }
    }

    @Test func `the page shows the stored values, and says whether the store is unavailable`() async throws {
        let (store, unavailable) = (InMemoryTweaks(), "The store is unavailable.")
        try await store.set("import.queue.pause", to: "60", expecting: 0, by: "ada")
        try await Bench(store).serving { client in
            let page = try await client.execute(uri: "/ops/tweaks", method: .get, headers: Self.credentials())
            let html = String(buffer: page.body)
            #expect(html.contains("now <b>60</b>, from the store") && !html.contains(unavailable))
        }
        try await Bench(Unavailable()).serving { client in
            let page = try await client.execute(uri: "/ops/tweaks", method: .get, headers: Self.credentials())
            let html = String(buffer: page.body)
            #expect(html.contains("now <b>30</b>, from the default") && html.contains(unavailable))
            let history = try await client.execute(
                uri: "/ops/tweaks/history.json",
                method: .get,
                headers: Self.credentials()
            )
            #expect(history.status == .serviceUnavailable)
        }
        // Nothing has read the store of this server before.
        try await Bench().serving { client in
            let page = try await client.execute(uri: "/ops/tweaks", method: .get, headers: Self.credentials())
            #expect(!String(buffer: page.body).contains(unavailable))
        }
    }

    /// Calls the body with the path of a password file, and removes the file afterwards.
    private static func withPasswordFile<Value>(
        _ content: String,
        mode: Int,
        _ body: (String) throws -> Value
    ) throws -> Value {
        let file = FileManager.default.temporaryDirectory.appending(path: "password-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let isCreated = FileManager.default.createFile(
            atPath: file,
            contents: Data(content.utf8),
            attributes: [.posixPermissions: mode]
        )
        #expect(isCreated)
        return try body(file)
    }

    @Test(
        arguments: [
            (password, 0o640, .notPrivate), (password, 0o604, .notPrivate),
            ("only 15 bytes..\n", 0o600, .tooShort), ("\n", 0o600, .tooShort), ("", 0o600, .tooShort),
            ("\(password)\n\n", 0o600, .malformed), ("\u{FEFF}\(password)", 0o600, .malformed),
            (" \(password)", 0o600, .malformed), ("exactly\t16 bytes", 0o600, .malformed),
            (String(repeating: "a", count: 16 * 1024 + 1), 0o600, .unreadable),
        ] as [(String, Int, BasicPasswordError.Code)]
    )
    func `a password file that is too short or too long, malformed, or readable by others is refused`(
        _ content: String,
        _ mode: Int,
        _ code: BasicPasswordError.Code
    ) throws {
        _ = try Self.withPasswordFile(content, mode: mode) { file in
            #expect(throws: BasicPasswordError(code)) { try BasicPassword(contentsOf: file) }
        }
    }

    @Test(arguments: ["exactly 16 bytes", "exactly 16 bytes\n", "exactly 16 bytes\r\n"])
    func `a private password file of 16 bytes is accepted, with and without a line break`(_ content: String) throws {
        try Self.withPasswordFile(content, mode: 0o600) { file in
            _ = try BasicPassword(contentsOf: file)
            let link = file + ".link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
            defer { try? FileManager.default.removeItem(atPath: link) }
            _ = try BasicPassword(contentsOf: link)
        }
    }

    @Test func `a missing password file is refused`() {
        let file = FileManager.default.temporaryDirectory.appending(path: "password-\(UUID().uuidString)").path
        #expect(throws: BasicPasswordError(.unreadable)) { try BasicPassword(contentsOf: file) }
    }

    @Test func `without the password nothing is shown or changed`() async throws {
        let bench = try Bench()
        let pause = bench.pause
        try await bench.serving { client in
            for headers in [[:], Self.credentials("ada", "wrong"), [.authorization: "Basic ?"]] as [HTTPFields] {
                for uri in ["", "/tweaks.json", "/values.json", "/history.json"] {
                    let answer = try await client.execute(uri: "/ops/tweaks" + uri, method: .get, headers: headers)
                    #expect(answer.status == .unauthorized)
                    #expect(answer.headers[.wwwAuthenticate]?.hasPrefix("Basic ") == true)
                }
                let change = #"{"value": "60", "revision": 0}"#
                let answer = try await Self.put(client, "/ops/tweaks/tweaks/import.queue.pause", change, headers)
                #expect(answer.status == .unauthorized)
            }
            #expect(pause.value == 30)
        }
    }

    @Test func `a cross-site change is refused even with the password`() async throws {
        let bench = try Bench()
        let pause = bench.pause
        let others: [HTTPFields] = [
            try Self.site("cross-site"), try Self.site("same-site"), [.origin: "https://evil.example"],
            [.origin: "null"],
        ]
        try await bench.serving { client in
            let uri = "/ops/tweaks/tweaks/import.queue.pause"
            let change = #"{"value": "60", "revision": 0}"#
            for other in others {
                let answer = try await Self.put(client, uri, change, Self.merged(Self.credentials(), other))
                #expect(answer.status == .forbidden)
                #expect(answer.headers[.contentType] == "application/problem+json")
                #expect(String(buffer: answer.body).contains(#""code" : "invalid-request""#))
            }
            let form = try await Self.put(client, uri, change, type: "text/plain")
            #expect(form.status == .unsupportedMediaType)
            // A form without the token of the page.
            let post = try await client.execute(
                uri: uri,
                method: .post,
                headers: Self.merged(Self.credentials(), [.contentType: "application/x-www-form-urlencoded"]),
                body: ByteBuffer(string: "value=60&revision=0")
            )
            #expect(post.status == .forbidden && pause.value == 30)
            #expect(post.headers[.contentType]?.hasPrefix("text/html") == true)
            let own = Self.merged(Self.credentials(), try Self.site("same-origin"))
            #expect(try await Self.put(client, uri, change, own).status == .ok)
            #expect(pause.value == 60)
        }
    }

    @Test func `a program sets, exports, imports and resets values`() async throws {
        let bench = try Bench()
        let (tweaks, pause) = (bench.tweaks, bench.pause)
        try await bench.serving { client in
            let uri = "/ops/tweaks/tweaks/import.queue.pause"
            let all = "/ops/tweaks/values.json"
            let set = try await Self.put(client, uri, #"{"value": "60", "revision": 0}"#)
            #expect(set.status == .ok && String(buffer: set.body).contains(#""value" : "60""#))
            let late = try await Self.put(client, uri, #"{"value": "90", "revision": 0}"#)
            #expect(late.status == .conflict && String(buffer: late.body).contains(#""code" : "overtaken""#))
            let wrong = try await Self.put(client, uri, #"{"value": "601", "revision": 1}"#)
            #expect(wrong.status == .unprocessableContent && pause.value == 60)
            let export = try await client.execute(uri: all, method: .get, headers: Self.credentials())
            let reset = try await client.execute(
                uri: uri + "?revision=1",
                method: .delete,
                headers: Self.credentials()
            )
            #expect(reset.status == .ok && pause.value == 30)
            let imported = try await Self.put(client, all + "?revision=2", String(buffer: export.body))
            #expect(imported.status == .ok && pause.value == 60)
            let blind = try await client.execute(uri: all, method: .delete, headers: Self.credentials())
            #expect(blind.status == .badRequest && pause.value == 60)
            #expect(try await tweaks.history().map(\.by) == ["ada", "ada", "ada"])
            let history = try await client.execute(
                uri: "/ops/tweaks/history.json",
                method: .get,
                headers: Self.credentials()
            )
            let text = String(buffer: history.body)
            #expect(history.status == .ok && text.contains(#""from" : "60""#) && text.contains(#""kind" : "reset""#))
        }
    }

    @Test func `an integer of 19 digits stays exact on the page and in JSON`() async throws {
        let bench = try Bench()
        let size = Tweak("import", "queue", "size", default: 9_007_199_254_740_993, in: 0...Int.max, in: bench.tweaks)
        try await bench.serving { client in
            let page = try await client.execute(uri: "/ops/tweaks", method: .get, headers: Self.credentials())
            let html = String(buffer: page.body)
            #expect(html.contains(#"<input type="text" value="9007199254740993" pattern="-?[0-9]+" required "#))
            #expect(html.contains(#"<input type="number" value="30" min="0" max="600" step="1" required "#))
            let change = #"{"value": "9223372036854775807", "revision": 0}"#
            let set = try await Self.put(client, "/ops/tweaks/tweaks/import.queue.size", change)
            #expect(set.status == .ok && size.value == .max)
            #expect(String(buffer: set.body).contains(#""value" : "9223372036854775807""#))
            // A JSON number is refused: a client may have rounded it.
            let number = #"{"value": 9223372036854775807, "revision": 1}"#
            #expect(try await Self.put(client, "/ops/tweaks/tweaks/import.queue.size", number).status == .badRequest)
        }
    }

    /// The tweaks of other versions in `tweaks.json`.
    private struct Report: Decodable {
        struct Unknown: Decodable {
            let id: String
            let revision: Int64
        }

        let unknown: [Unknown]

        init(_ response: TestResponse) throws {
            self = try JSONDecoder().decode(Self.self, from: Data(String(buffer: response.body).utf8))
        }
    }

    @Test func `a program finds the value of another version and deletes it by its revision`() async throws {
        let store = InMemoryTweaks()
        try await store.set("of.another.version", to: "1", expecting: 0, by: "ada")
        let bench = try Bench(store)
        try await bench.tweaks.load()
        try await bench.serving { client in
            let all = "/ops/tweaks/tweaks.json"
            let found = try await client.execute(uri: all, method: .get, headers: Self.credentials())
            let unknown = try #require(Report(found).unknown.first)
            #expect(unknown.id == "of.another.version" && unknown.revision == 1)
            let deleted = try await client.execute(
                uri: "/ops/tweaks/tweaks/\(unknown.id)?revision=\(unknown.revision)",
                method: .delete,
                headers: Self.credentials()
            )
            #expect(deleted.status == .ok)
            #expect(try Report(deleted).unknown.isEmpty)
        }
    }
}
#endif
