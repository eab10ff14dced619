// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

/// What a ``ScriptedServer`` does with a connection once it has read a request: any bytes, at any speed, and an end.
///
/// Scripts are put together with `+`. After its last step the connection is closed.
///
/// ```swift
/// let slow: ServerScript = .head(headers: ["Content-Length: 9"]) + .drip("{\"keys\":[", every: .seconds(1))
/// let liar: ServerScript = .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}")
/// ```
public struct ServerScript: Sendable {
    enum Step: Sendable {
        case send([UInt8])
        case drip(ArraySlice<UInt8>, every: Duration)
        case flood([UInt8])
        case pause(Duration)
        case stall
        case close
        case reset
    }

    let steps: [Step]

    /// One script after the other.
    public static func + (first: ServerScript, second: ServerScript) -> ServerScript {
        ServerScript(steps: first.steps + second.steps)
    }
}

extension ServerScript {
    /// Sends these bytes.
    public static func send(_ bytes: [UInt8]) -> Self { Self(steps: [.send(bytes)]) }

    /// Sends this text in UTF-8.
    public static func send(_ text: String) -> Self { send(Array(text.utf8)) }

    /// Sends these bytes one at a time.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - interval: How long it waits before each.
    /// - Returns: The script.
    public static func drip(_ bytes: [UInt8], every interval: Duration) -> Self {
        Self(steps: [.drip(bytes[...], every: interval)])
    }

    /// Sends this text in UTF-8, one byte at a time.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - interval: How long it waits before each byte.
    /// - Returns: The script.
    public static func drip(_ text: String, every interval: Duration) -> Self {
        drip(Array(text.utf8), every: interval)
    }

    /// Sends these bytes again and again, as fast as the client reads, until the client goes.
    public static func flood(_ bytes: [UInt8]) -> Self {
        // Small pieces are sent many at a time, so that it is the client's reading that sets the speed.
        let times = max(1, 16_384 / max(1, bytes.count))
        return Self(steps: [.flood(Array(repeatElement(bytes, count: times).joined()))])
    }

    /// Sends this text again and again, as fast as the client reads, until the client goes.
    public static func flood(_ text: String) -> Self { flood(Array(text.utf8)) }

    /// Does nothing for a while.
    public static func pause(_ duration: Duration) -> Self { Self(steps: [.pause(duration)]) }

    /// Says nothing more, and keeps the connection open until the client goes.
    public static let stall = Self(steps: [.stall])

    /// Closes the connection in good order.
    public static let close = Self(steps: [.close])

    /// Breaks the connection off: the client sees a reset.
    public static let reset = Self(steps: [.reset])
}

extension ServerScript {
    /// Sends the head of an answer, without a length: what follows is the body, up to the end of the connection.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The fields, each a line without its end, for example `Retry-After: 5`. They are sent as they stand.
    /// - Returns: The script.
    public static func head(status: Int = 200, headers: [String] = []) -> Self {
        let lines = ["HTTP/1.1 \(status) Scripted", "Connection: close"] + headers
        return send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
    }

    /// Sends a whole answer, with its length.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The fields beside `Content-Length` and `Connection`, each a line without its end.
    ///   - body: The body.
    /// - Returns: The script.
    public static func respond(status: Int = 200, headers: [String] = [], body: [UInt8] = []) -> Self {
        head(status: status, headers: headers + ["Content-Length: \(body.count)"]) + send(body)
    }

    /// Sends a whole answer with a body of JSON, good or bad.
    ///
    /// - Parameters:
    ///   - body: The JSON; `.raw` for any text.
    ///   - status: The status.
    ///   - headers: The fields beside `Content-Type`, `Content-Length` and `Connection`, each a line without its end.
    /// - Returns: The script.
    public static func json(_ body: TestJSON, status: Int = 200, headers: [String] = []) -> Self {
        respond(status: status, headers: ["Content-Type: application/json"] + headers, body: Array(body.text.utf8))
    }

    /// Answers with a key set of these keys, as a provider does.
    ///
    /// - Parameters:
    ///   - keys: The keys; their public halves are published.
    ///   - maxAge: For how many seconds the answer says it is good; nil if it does not.
    /// - Returns: The script.
    public static func keySet(_ keys: [TestKey], maxAge: Int? = nil) -> Self {
        json(["keys": .array(keys.map(\.json))], headers: maxAge.map { ["Cache-Control: max-age=\($0)"] } ?? [])
    }

    /// Sends the client elsewhere.
    ///
    /// - Parameters:
    ///   - location: Where to; it is sent as it stands.
    ///   - status: The status.
    /// - Returns: The script.
    public static func redirect(to location: String, status: Int = 302) -> Self {
        respond(status: status, headers: ["Location: \(location)"])
    }
}

#endif
