// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// A text in Prometheus text format, version 0.0.4.
struct PrometheusText {
    /// The media type of a response.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The text so far.
    private(set) var text = ""

    /// Writes the `HELP` and `TYPE` lines of a metric.
    mutating func begin(_ name: String, kind: String, help: String?) {
        if let help { text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n" }
        text += "# TYPE \(name) \(kind)\n"
    }

    /// Writes a sample; `lastLabel` follows the labels, which then are empty or end with a comma.
    mutating func sample(_ name: String, _ labels: String, _ value: Double, lastLabel: String = "") {
        let all = labels + lastLabel
        text += name + (all.isEmpty ? "" : "{\(all)}") + " \(Self.number(value))\n"
    }

    /// Returns a valid metric name: ASCII letters, digits, `_` and `:`, with `_` for anything else and before a leading
    /// digit.
    static func metricName(_ label: String) -> String { name(label, colon: true) }

    /// Returns the text of the labels, sorted, so that each series has one text.
    static func labels(_ dimensions: [(String, String)]) -> String {
        var seen: Set<String> = []
        return dimensions.map { (name($0.0, colon: false), $0.1) }
            .filter { seen.insert($0.0).inserted }
            .sorted { $0.0 < $1.0 }
            .map { "\($0.0)=\"\(escaped($0.1, quotes: true))\"" }
            .joined(separator: ",")
    }

    private static func name(_ text: String, colon: Bool) -> String {
        var name = String(
            text.unicodeScalars.map { scalar -> Character in
                let isPlain =
                    scalar.isASCII
                    && (scalar.properties.isAlphabetic || ("0"..."9").contains(Character(scalar)) || scalar == "_"
                        || colon && scalar == ":")
                return isPlain ? Character(scalar) : "_"
            }
        )
        if name.first.map({ ("0"..."9").contains($0) }) ?? true { name = "_" + name }
        return name
    }

    /// Returns the text with escapes for `\` and line breaks, and for quotation marks if it is quoted.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Returns a number in the syntax of Go.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
    }
}
#endif
