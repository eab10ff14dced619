// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
package import HTTPTypes
package import Hummingbird
internal import LoginText
internal import NIOCore

/// The frame of the pages for operators: the document, its forms, its style sheet and its headers.
package struct PageLayout: Sendable {
    /// The path of the routes, without a slash at its end; empty for the root.
    package let prefix: String

    /// Creates the layout of the pages at a path.
    ///
    /// - Parameter path: The path, for example `/` or `/operations/tweaks`.
    package init(path: String) {
        prefix = path.split(separator: "/").map { "/\($0)" }.joined()
    }

    /// The path of the settings.
    var home: String { prefix.isEmpty ? "/" : prefix }

    /// Returns a document.
    ///
    /// - Parameters:
    ///   - title: The title, which is escaped.
    ///   - body: The markup of the body.
    /// - Returns: The document.
    package func document(_ title: String, _ body: String) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(escapedForHTML(title))</title><link rel="stylesheet" href="\(prefix)\(Self.stylePath)"></head>
        <body>
        \(body)
        </body></html>

        """
    }

    /// Returns the error page of a refused request.
    package func refusal(_ refusal: PageRefusal) -> Response {
        let page = document(
            "Refused",
            "<main><h1>\(refusal.status.code) \(escapedForHTML(refusal.status.reasonPhrase))</h1><p role=\"alert\">"
                + "\(escapedForHTML(refusal.reason))</p><p><a href=\"\(home)\">Back to the settings</a></p></main>"
        )
        return .page(page, status: refusal.status)
    }

    /// Returns a form.
    ///
    /// - Parameters:
    ///   - action: The path of its action, relative to the prefix.
    ///   - content: The markup of its fields and buttons.
    ///   - token: The CSRF token.
    ///   - revision: The revision that the operator sees.
    /// - Returns: The markup.
    package func form(_ action: String, _ content: String, token: String, revision: Int64? = nil) -> String {
        let hidden = revision.map { "<input type=\"hidden\" name=\"revision\" value=\"\($0)\">" } ?? ""
        return "<form method=\"post\" action=\"\(prefix)\(action)\">"
            + "<input type=\"hidden\" name=\"csrf\" value=\"\(escapedForHTML(token))\">\(hidden)\(content)</form>"
    }

    /// Adds the security headers of a page without scripts and third-party resources.
    package static func protect(_ response: inout Response) {
        for (name, value) in headers { response.headers[name] = value }
    }

    private static let headers: [(HTTPField.Name, String)] = [
        (.cacheControl, "no-store"),
        (
            .contentSecurityPolicy,
            "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        ),
        (.xContentTypeOptions, "nosniff"),
        (.xFrameOptions, "DENY"),
        // With `no-referrer`, browsers would send `Origin: null` with the forms of the page itself.
        (.referrerPolicy, "same-origin"),
        (.crossOriginOpenerPolicy, "same-origin"),
        (.crossOriginResourcePolicy, "same-origin"),
    ]

    /// The path of the style sheet, relative to the prefix.
    package static let stylePath = "/style.css"

    /// The style sheet, light or dark according to the system's setting.
    static let style = """
        :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
        body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
        header, .row { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; }
        h1 { flex: 1; }
        article { border: 1px solid GrayText; border-radius: .5rem; padding: .5rem 1rem; margin: .75rem 0; }
        article:target { outline: 3px solid Highlight; }
        h4 { margin: .25rem 0; }
        form { display: inline-flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
        main > form, main form p { display: block; }
        input, select, button { font: inherit; padding: .25rem .5rem; min-height: 2rem; }
        input[type=checkbox] { width: 1.5rem; height: 1.5rem; }
        :focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
        .facts { color: GrayText; overflow-wrap: anywhere; }
        .fault { border-left: .3rem solid #c00; padding-left: .5rem; }
        .done { border-left: .3rem solid #080; padding-left: .5rem; }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: left; padding: .25rem .5rem; border-bottom: 1px solid GrayText; overflow-wrap: anywhere; }

        """
}

extension HTTPField.Name {
    fileprivate static let xFrameOptions = known("X-Frame-Options")
    fileprivate static let referrerPolicy = known("Referrer-Policy")
    fileprivate static let crossOriginOpenerPolicy = known("Cross-Origin-Opener-Policy")
}

extension Response {
    /// Creates a response with an HTML page.
    package static func page(_ html: String, status: HTTPResponse.Status = .ok) -> Response {
        text(html, type: "text/html; charset=utf-8", status: status)
    }

    /// Creates a response with a text.
    package static func text(_ text: String, type: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }

    /// Creates a redirect that the browser follows with GET.
    package static func seeOther(_ path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path])
    }
}
#endif
