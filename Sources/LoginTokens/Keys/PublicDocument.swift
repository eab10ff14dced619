// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// A document that others have too, and that is therefore no secret, whatever its length.
///
/// A key that is configured as a secret is the confusion of algorithms by configuration: everybody can sign with the
/// public key (RFC 8725 §2.1). The usual forms in which keys are passed around are recognized, also within one or two layers
/// of base64, hexadecimal digits and percent-encoding. A random secret has one of these forms with a probability below 2⁻²⁰.
enum PublicDocument: String {
    case pem = "a key or certificate in PEM form"
    case ssh = "an SSH key"
    case xml = "a key or certificate in XML"
    case json = "a JSON document, such as a JWK,"
    case der = "a key or certificate in DER form"
    case token = "a token"

    /// Recognizes a document; nil for anything else.
    init?(_ octets: [UInt8]) {
        let decoded = Self.decoded(octets)
        let forms = [octets] + decoded + decoded.flatMap(Self.decoded)
        guard let document = forms.lazy.compactMap(Self.plain).first else { return nil }
        self = document
    }

    /// The octets that may be within one layer of an encoding.
    private static func decoded(_ octets: [UInt8]) -> [[UInt8]] {
        [base64(octets), hexadecimal(octets), PercentEncoding.decode(octets)].compactMap(\.self).filter { $0 != octets }
    }

    private static func plain(_ octets: [UInt8]) -> Self? {
        if isDER(octets) { return .der }
        let text = trimmed(octets)
        // Without the space after it, which some encoders of URLs write as a plus sign.
        if contains(text, ["-----BEGIN"]) { return .pem }
        if isSSH(text) { return .ssh }
        if text.first == UInt8(ascii: "<"), contains(text, ["KeyValue>", "X509Certificate>"]) { return .xml }
        if let kind = try? JSONDocument.read(text, limits: .keySet).root.kind, kind == .object || kind == .array {
            return .json
        }
        return (try? CompactJWS(String(decoding: text, as: UTF8.self))) == nil ? nil : .token
    }

    /// Returns whether this is a public key of OpenSSH in one line, also after options or a host, or without its type
    /// (RFC 4253 §6.6, in the decoded base64), or one in the form of RFC 4716.
    private static func isSSH(_ text: [UInt8]) -> Bool {
        let types = ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-sha2-"]
        let name = text.starts(with: [0, 0, 0]) ? text.dropFirst(4) : text[...]
        return types.contains { name.starts(with: $0.utf8) }
            || contains(text, ["---- BEGIN SSH2", "ssh-rsa AAAA", "ssh-ed25519 AAAA", " ecdsa-sha2-nistp"])
    }

    private static func contains(_ text: [UInt8], _ marks: [String]) -> Bool {
        marks.contains { text.contains(Array($0.utf8)) }
    }

    /// The octets that hexadecimal digits stand for, with or without colons and white space.
    private static func hexadecimal(_ octets: [UInt8]) -> [UInt8]? {
        let digits = octets.filter { !$0.isWhitespace && $0 != UInt8(ascii: ":") }
        guard digits.count.isMultiple(of: 2) else { return nil }
        let pairs = stride(from: 0, to: digits.count, by: 2).map { digits[$0..<$0 + 2] }
        return PercentEncoding.decode(pairs.flatMap { [UInt8(ascii: "%")] + $0 })
    }

    /// The octets that base64 of either alphabet contains, with or without padding and line breaks.
    private static func base64(_ octets: [UInt8]) -> [UInt8]? {
        var text: [UInt8] = []
        for octet in octets where !octet.isWhitespace {
            switch octet {
            case UInt8(ascii: "+"): text.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): text.append(UInt8(ascii: "_"))
            default: text.append(octet)
            }
        }
        text.removeLast(text.reversed().prefix { $0 == UInt8(ascii: "=") }.count)
        return Base64URL.decode(text)
    }

    /// Returns whether this is a SEQUENCE of DER (X.690 §8.9) of exactly this length, which begins with an INTEGER or a
    /// SEQUENCE, as all keys and certificates do.
    private static func isDER(_ octets: [UInt8]) -> Bool {
        guard let (content, rest) = element(0x30, of: octets[...]), rest.isEmpty else { return false }
        return element(0x02, of: content) != nil || element(0x30, of: content) != nil
    }

    /// Returns the content of the first element, and what follows it; nil if its tag is another, or its length is wrong.
    private static func element(
        _ tag: UInt8,
        of octets: ArraySlice<UInt8>
    ) -> (content: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
        guard octets.first == tag, let first = octets.dropFirst().first else { return nil }
        var rest = octets.dropFirst(2)
        var length = Int(first)
        if first >= 0x80 {
            let count = length & 0x7F
            guard (1...2).contains(count), rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard length <= rest.count else { return nil }
        return (rest.prefix(length), rest.dropFirst(length))
    }

    /// The octets without white space at their ends and without a byte order mark.
    private static func trimmed(_ octets: [UInt8]) -> [UInt8] {
        var text = octets.drop(while: \.isWhitespace)
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3).drop(while: \.isWhitespace) }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return Array(text)
    }
}
