// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes

extension ServerRequest {
    /// Whether a browser requests a page to display it.
    ///
    /// Requests of scripts and for parts of a page have another mode (W3C Fetch Metadata §2.2). Older browsers send
    /// none.
    var isNavigation: Bool {
        guard method == .get || method == .head else { return false }
        let modes = headers[values: .secFetchMode]
        return (modes.isEmpty || modes == ["navigate"]) && prefersHTML
    }

    /// Whether a browser makes the request in case the user opens the page, to prefetch or prerender it.
    ///
    /// `Sec-Purpose` is a structured field (RFC 9651): the token `prefetch`, with `prerender` among its parameters
    /// (Fetch §3.7). Older browsers send `Purpose` (Chromium, Safari), `X-Purpose` (Safari) and `X-Moz` (Firefox). Pages
    /// cannot set `Sec-Purpose`.
    var isSpeculative: Bool {
        HTTPField.Name.purposes.contains { name in
            headers[values: name].contains { value in
                let token = value.drop { $0 == " " || $0 == "\t" }.prefix { !";, \t".contains($0) }
                return ["prefetch", "prerender", "preview", "instant"].contains(token.lowercased())
            }
        }
    }

    /// Whether the client prefers HTML to JSON (RFC 9110 §12.5.1).
    ///
    /// HTML must be named: a client that accepts everything (`*/*`) is not a browser.
    package var prefersHTML: Bool {
        var (html, json) = (0.0, 0.0)
        for range in headers[values: .accept].flatMap({ $0.lowercased().split(separator: ",") }) {
            let parts = range.filter { $0 != " " && $0 != "\t" }.split(separator: ";")
            guard let type = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if type == "text/html" { html = max(html, weight) }
            if type == "application/json" || type.hasSuffix("+json") { json = max(json, weight) }
        }
        return html > json
    }
}

extension HTTPField.Name {
    /// The header field of W3C Fetch Metadata §2.2.
    static let secFetchMode = known("Sec-Fetch-Mode")

    /// The header fields with the purpose of a speculative request.
    static let purposes = ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"].map { known($0) }
}
#endif
