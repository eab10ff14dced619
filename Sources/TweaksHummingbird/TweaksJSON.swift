// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Tweaks

/// The tweaks as JSON, for programs.
enum TweaksJSON {
    private struct Entry: Encodable {
        let id: String
        let title: String
        let description: String
        let category: String
        let collection: String
        let kind: String
        let value: String
        let source: String
        let `default`: String
        let file: String?
        let override: String?
        let revision: Int64
        let changedAt: String?
        let changedBy: String?
        let unit: String?
        let minimum: String?
        let maximum: String?
        let step: String?
        let choices: [String]?
        let faults: [String]
    }

    private struct Content: Encodable {
        let revision: Int64
        let tweaks: [Entry]
        let actions: [String]
        let unknown: [Unknown]
    }

    /// A stored value of a tweak that this program does not declare, with the revision that deletes it.
    private struct Unknown: Encodable {
        let id: String
        let revision: Int64
    }

    private struct History: Encodable {
        let changes: [Change]

        /// A change of a tweak, or an action.
        struct Change: Encodable {
            let kind: String
            let id: String
            let from: String?
            let to: String?
            let at: String
            let by: String
        }
    }

    /// Returns changes and actions.
    static func text(of changes: [TweakChange]) -> String {
        let changes = changes.map { change in
            History.Change(
                kind: change.kind.rawValue,
                id: change.id,
                from: change.from,
                to: change.to,
                at: change.at.formatted(Date.ISO8601FormatStyle()),
                by: change.by
            )
        }
        return encoded(History(changes: changes))
    }

    /// A new value of a tweak, as `PUT` sends it.
    struct Change: Decodable {
        let value: String
        let revision: Int64
    }

    /// Parses a new value; nil if it is malformed.
    static func change(_ text: String) -> Change? { try? JSONDecoder().decode(Change.self, from: Data(text.utf8)) }

    private struct Problem: Encodable {
        let title: String
        let status: Int
        let code: String
        let detail: String
    }

    /// Returns the response to a refused request: a problem (RFC 9457 §3) with a code.
    static func problem(_ status: HTTPResponse.Status, _ code: String, _ detail: String) -> Response {
        let problem = Problem(title: status.reasonPhrase, status: status.code, code: code, detail: detail)
        return .text(encoded(problem), type: "application/problem+json", status: status)
    }

    private static func encoded(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else {
            preconditionFailure("strings and numbers can be encoded as JSON")
        }
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    /// Returns all tweaks and actions.
    static func text(of report: TweakReport) -> String {
        var (entries, actions): ([Entry], [String]) = ([], [])
        for category in report.categories {
            for collection in category.collections {
                for item in collection.items {
                    switch item {
                    case .tweak(let value): entries.append(entry(value, category.id, collection.id))
                    case .action(let action): actions.append(action.id)
                    }
                }
            }
        }
        let unknown = report.unknown.map { Unknown(id: $0.id, revision: $0.revision) }
        return encoded(Content(revision: report.revision, tweaks: entries, actions: actions, unknown: unknown))
    }

    private static func entry(_ value: TweakReport.Value, _ category: String, _ collection: String) -> Entry {
        var (range, choices): (TweakRange?, [String]?) = (nil, nil)
        switch value.constraint {
        case .range(let found): range = found
        case .choices(let found): choices = found
        case .any, .text: break
        }
        return Entry(
            id: value.id,
            title: value.title,
            description: value.description,
            category: category,
            collection: collection,
            kind: value.kind.rawValue,
            value: value.current.text,
            source: value.source.rawValue,
            default: value.defaultValue.text,
            file: value.file,
            override: value.override,
            revision: value.revision,
            changedAt: value.changedAt?.formatted(Date.ISO8601FormatStyle()),
            changedBy: value.changedBy,
            unit: value.unit,
            minimum: range?.lower.text,
            maximum: range?.upper.text,
            step: range?.step?.text,
            choices: choices,
            faults: value.faults.map { "\($0.source.rawValue): \($0.reason)" }
        )
    }
}
#endif
