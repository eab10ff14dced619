// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
public import LoginTesting

/// A script for a connection after its request was read: any bytes, at any speed, and an end.
///
/// Scripts are concatenated with `+`. The connection is closed after the last step.
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

    /// Concatenates two scripts.
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
    ///   - interval: The pause before each byte.
    /// - Returns: The script.
    public static func drip(_ bytes: [UInt8], every interval: Duration) -> Self {
        Self(steps: [.drip(bytes[...], every: interval)])
    }

    /// Sends this text in UTF-8, one byte at a time.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - interval: The pause before each byte.
    /// - Returns: The script.
    public static func drip(_ text: String, every interval: Duration) -> Self {
        drip(Array(text.utf8), every: interval)
    }

    /// Sends these bytes repeatedly, as fast as the client reads, until the client disconnects.
    public static func flood(_ bytes: [UInt8]) -> Self {
        // Small pieces are sent in batches, so that the client determines the speed.
        let times = max(1, 16_384 / max(1, bytes.count))
        return Self(steps: [.flood(Array(repeatElement(bytes, count: times).joined()))])
    }

    /// Sends this text repeatedly, as fast as the client reads, until the client disconnects.
    public static func flood(_ text: String) -> Self { flood(Array(text.utf8)) }

    /// Waits for a duration.
    public static func pause(_ duration: Duration) -> Self { Self(steps: [.pause(duration)]) }

    /// Sends nothing more, and keeps the connection open until the client disconnects.
    public static let stall = Self(steps: [.stall])

    /// Closes the connection normally.
    public static let close = Self(steps: [.close])

    /// Resets the connection.
    public static let reset = Self(steps: [.reset])
}

extension ServerScript {
    /// Sends the head of a response without `Content-Length`: the body extends to the end of the connection.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - headers: The header fields, each a line without its line break, for example `Retry-After: 5`. They are sent
    ///     unchanged.
    /// - Returns: The script.
    public static func head(status: Int = 200, headers: [String] = []) -> Self {
        let lines = ["HTTP/1.1 \(status) Scripted", "Connection: close"] + headers
        return send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
    }

    /// Sends a complete response with `Content-Length`.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - headers: The header fields except `Content-Length` and `Connection`, each a line without its line break.
    ///   - body: The body.
    /// - Returns: The script.
    public static func respond(status: Int = 200, headers: [String] = [], body: [UInt8] = []) -> Self {
        head(status: status, headers: headers + ["Content-Length: \(body.count)"]) + send(body)
    }

    /// Sends a complete response with a JSON body, valid or invalid.
    ///
    /// - Parameters:
    ///   - body: The JSON; `.raw` for any text.
    ///   - status: The status code.
    ///   - headers: The header fields except `Content-Type`, `Content-Length` and `Connection`, each a line without its
    ///     line break.
    /// - Returns: The script.
    public static func json(_ body: TestJSON, status: Int = 200, headers: [String] = []) -> Self {
        respond(status: status, headers: ["Content-Type: application/json"] + headers, body: Array(body.text.utf8))
    }

    /// Sends a key set, as a provider does.
    ///
    /// - Parameters:
    ///   - keys: The key pairs; only their public keys are sent.
    ///   - maxAge: The `max-age` of `Cache-Control`, in seconds; nil to omit the field.
    /// - Returns: The script.
    public static func keySet(_ keys: [TestKey], maxAge: Int? = nil) -> Self {
        json(["keys": .array(keys.map(\.json))], headers: maxAge.map { ["Cache-Control: max-age=\($0)"] } ?? [])
    }

    /// Sends a redirect.
    ///
    /// - Parameters:
    ///   - location: The `Location`, sent unchanged.
    ///   - status: The status code.
    /// - Returns: The script.
    public static func redirect(to location: String, status: Int = 302) -> Self {
        respond(status: status, headers: ["Location: \(location)"])
    }
}

#endif
