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

    /// Returns the response to a refused request.
    ///
    /// - Parameters:
    ///   - refusal: The reason.
    ///   - format: The format of the response.
    /// - Returns: The response.
    package func response(to refusal: PageRefusal, as format: RefusalFormat) -> Response {
        switch format {
        case .page: errorPage(refusal)
        case .problem: TweaksJSON.problem(refusal.status, "invalid-request", refusal.reason)
        }
    }

    private func errorPage(_ refusal: PageRefusal) -> Response {
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
        :root {
          color-scheme: light dark;
          --page: #ffffff; --card: #f4f5f7; --text: #1b1b1f; --faint: #54575e; --line: #767980;
          --link: #0b4fb3; --bad: #a8201a; --good: #14602b;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #16181c; --card: #212429; --text: #ececf0; --faint: #b4b7be; --line: #8e9199;
            --link: #a8c7fa; --bad: #f5b5b0; --good: #8fdca3;
          }
        }
        * { box-sizing: border-box; }
        html { font: 100%/1.5 system-ui, sans-serif; }
        body {
          max-width: 48rem; margin: 0 auto; padding: 1rem;
          background: var(--page); color: var(--text); overflow-wrap: anywhere;
        }
        header, .row { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; }
        header { border-bottom: 1px solid var(--line); }
        h1 { flex: 1; font-size: 1.75rem; line-height: 1.25; margin: 1rem 0; }
        h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; }
        h3 { font-size: 1rem; margin: 1rem 0 .5rem; color: var(--faint); }
        h4 { font-size: 1rem; margin: 0 0 .25rem; }
        p { margin: 0 0 .75rem; }
        p:empty { display: none; }
        a { color: var(--link); display: inline-block; min-height: 1.5rem; }
        article { background: var(--card); border-radius: .5rem; padding: 1rem; margin: .75rem 0; }
        article:target { outline: .1875rem solid var(--link); }
        form { display: inline-flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: 0; }
        main > form { display: flex; margin: 1.5rem 0; }
        input, select, textarea, button {
          font: inherit; color: inherit; background: var(--page); min-height: 2.75rem; max-width: 100%;
          padding: .375rem .75rem; border: 1px solid var(--line); border-radius: .375rem;
        }
        input[type=checkbox] { width: 1.5rem; height: 1.5rem; min-height: 0; }
        button { cursor: pointer; font-weight: 600; }
        :focus-visible { outline: .1875rem solid var(--link); outline-offset: .1875rem; }
        .facts { color: var(--faint); font-size: .875rem; margin: .75rem 0 0; }
        .fault { color: var(--bad); font-weight: 600; }
        .done { color: var(--good); font-weight: 600; }
        table { border-collapse: collapse; width: 100%; font-size: .875rem; }
        td, th { text-align: start; vertical-align: top; padding: .375rem .5rem; border-bottom: 1px solid var(--line); }

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
