// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import LoginText
internal import Tweaks

/// The page on which operators view and change settings, without JavaScript and third-party resources.
struct SettingsPage {
    /// A message beside an entry, or at the top of the page.
    struct Notice: Sendable {
        let id: String?
        let text: String
        let isFault: Bool
    }

    let report: TweakReport
    /// The latest changes; nil if the store is unavailable.
    let history: [TweakChange]?
    let notice: Notice?
    let title: String
    /// The markup of links and forms in the header.
    let navigation: String
    /// The CSRF token of the forms.
    let token: String
    let layout: PageLayout

    var html: String {
        layout.document(
            title,
            """
            \(header)
            \(banner)
            <main>
            \(report.categories.map(section).joined(separator: "\n"))
            \(unknown)
            \(resetAll)
            \(export)
            \(changes)
            </main>
            """
        )
    }

    // MARK: Parts

    private var header: String {
        "<header><h1>\(escapedForHTML(title))</h1><p>on \(escapedForHTML(Self.host))</p>\(navigation)</header>"
    }

    /// The name of this machine, which distinguishes the pages of several servers.
    private static let host = ProcessInfo.processInfo.hostName

    /// Returns a box that browsers require to be checked before they submit the form.
    private static func confirmation(_ text: String) -> String {
        "<label><input type=\"checkbox\" required> \(text)</label>"
    }

    private var banner: String {
        var lines: [String] = []
        if let notice, notice.id.map({ id in !isShown(id) }) ?? true { lines.append(Self.line(notice)) }
        if history == nil {
            lines.append(
                "<p role=\"alert\" class=\"fault\">The store is unavailable. The settings shown were read earlier, and cannot be changed now.</p>"
            )
        }
        return lines.joined(separator: "\n")
    }

    private func isShown(_ id: String) -> Bool {
        report.categories.flatMap(\.collections).flatMap(\.items).contains { item in
            switch item {
            case .tweak(let value): value.id == id
            case .action(let action): action.id == id
            }
        }
    }

    private func section(_ category: TweakReport.Category) -> String {
        let collections = category.collections.map { collection in
            """
            <section aria-labelledby="\(Self.anchor(category.id, collection.id))">
            <h3 id="\(Self.anchor(category.id, collection.id))">\(escapedForHTML(collection.title))</h3>
            \(collection.items.map(entry).joined(separator: "\n"))
            </section>
            """
        }
        return """
            <section aria-labelledby="\(Self.anchor(category.id))">
            <h2 id="\(Self.anchor(category.id))">\(escapedForHTML(category.title))</h2>
            \(collections.joined(separator: "\n"))
            </section>
            """
    }

    /// Returns an element ID that differs from every tweak ID.
    private static func anchor(_ parts: String...) -> String { "section-" + parts.joined(separator: "-") }

    private func entry(_ item: TweakReport.Item) -> String {
        switch item {
        case .tweak(let value): entry(value)
        case .action(let action):
            """
            <article id="\(escapedForHTML(action.id))">
            <h4>\(escapedForHTML(action.title))</h4>
            <p>\(escapedForHTML(action.description))</p>
            \(notice(at: action.id))
            \(form("/actions/\(escapedForHTML(action.id))", "<button>\(escapedForHTML(action.title))</button>"))
            </article>
            """
        }
    }

    private func entry(_ value: TweakReport.Value) -> String {
        let faults = value.faults.map { fault in
            "<p class=\"fault\">The value from the \(Self.words(fault.source)) is not used: \(escapedForHTML(fault.reason)).</p>"
        }
        let reset =
            value.override == nil
            ? ""
            : form(
                "/tweaks/\(escapedForHTML(value.id))/reset",
                "<button aria-label=\"Reset \(escapedForHTML(value.title))\">Reset</button>",
                revision: value.revision
            )
        return """
            <article id="\(escapedForHTML(value.id))">
            <h4><label for="value-\(escapedForHTML(value.id))">\(escapedForHTML(value.title))</label></h4>
            <p id="about-\(escapedForHTML(value.id))">\(escapedForHTML(value.description))</p>
            \(faults.joined(separator: "\n"))
            \(notice(at: value.id))
            <div class="row">
            \(form("/tweaks/\(escapedForHTML(value.id))", TweakControl(value).html + "<button>Set</button>", revision: value.revision))
            \(reset)
            </div>
            <p class="facts">\(facts(value))</p>
            </article>
            """
    }

    private func facts(_ value: TweakReport.Value) -> String {
        var facts = [
            "<code>\(escapedForHTML(value.id))</code>",
            "now <b>\(escapedForHTML(value.current.text))</b>, from the \(Self.words(value.source))",
            "default \(escapedForHTML(value.defaultValue.text))",
        ]
        if let file = value.file { facts.append("file \(escapedForHTML(file))") }
        if let by = value.changedBy, let at = value.changedAt {
            let verb = value.override == nil ? "reset" : "set"
            facts.append("\(verb) by \(escapedForHTML(by)), \(Self.time(at))")
        }
        return facts.joined(separator: " · ")
    }

    private static func words(_ source: TweakSource) -> String {
        switch source {
        case .default: "default"
        case .file: "file"
        case .override: "store"
        }
    }

    private var unknown: String {
        guard !report.unknown.isEmpty else { return "" }
        let entries = report.unknown.map { tweak in
            "<li><code>\(escapedForHTML(tweak.id))</code> "
                + form("/tweaks/\(escapedForHTML(tweak.id))/reset", "<button>Reset</button>", revision: tweak.revision)
                + "</li>"
        }
        return """
            <section aria-labelledby="section-unknown"><h2 id="section-unknown">Settings of other versions</h2>
            <p>The store contains values of settings that this version does not have, or has not used yet.</p>
            <ul>\(entries.joined())</ul></section>
            """
    }

    private var resetAll: String {
        guard report.values.contains(where: { $0.override != nil }) else { return "" }
        let fields = Self.confirmation("Remove all values set by operators") + "<button>Reset all settings</button>"
        return form("/tweaks/reset", fields, revision: report.revision)
    }

    private var export: String {
        let fields = """
            <textarea name="values" rows="4" cols="40" aria-labelledby="section-export" required></textarea>\
            \(Self.confirmation("Replace all values set by operators"))<button>Import</button>
            """
        return """
            <section aria-labelledby="section-export"><h2 id="section-export">Export and import</h2>
            <p><a href="\(layout.prefix)/values.json">Export the values set by operators</a>. \
            An import replaces all of them.</p>
            \(form("/import", fields, revision: report.revision))
            </section>
            """
    }

    private var changes: String {
        let rows = (history ?? []).map { change in
            let what =
                switch change.kind {
                case .action: "done"
                case .reset: "reset from \(escapedForHTML(change.from ?? ""))"
                case .set:
                    "set from \(escapedForHTML(change.from ?? "nothing")) to \(escapedForHTML(change.to ?? ""))"
                }
            return "<tr><td>\(Self.time(change.at))</td><td><code>\(escapedForHTML(change.id))</code></td>"
                + "<td>\(what)</td><td>\(escapedForHTML(change.by))</td></tr>"
        }
        guard !rows.isEmpty else { return "" }
        return """
            <section aria-labelledby="section-changes"><h2 id="section-changes">Recent changes</h2>
            <table><thead><tr><th scope="col">Time</th><th scope="col">Setting</th><th scope="col">Change</th>\
            <th scope="col">Operator</th></tr></thead>
            <tbody>\(rows.joined(separator: "\n"))</tbody></table></section>
            """
    }

    private func notice(at id: String) -> String {
        guard let notice, notice.id == id else { return "" }
        return Self.line(notice)
    }

    private static func line(_ notice: Notice) -> String {
        let (role, style) = notice.isFault ? ("alert", "fault") : ("status", "done")
        return "<p role=\"\(role)\" class=\"\(style)\">\(escapedForHTML(notice.text))</p>"
    }

    private func form(_ action: String, _ content: String, revision: Int64? = nil) -> String {
        layout.form(action, content, token: token, revision: revision)
    }

    private static func time(_ date: Date) -> String {
        let text = date.formatted(Date.ISO8601FormatStyle())
        return "<time datetime=\"\(text)\">\(text)</time>"
    }
}
#endif
