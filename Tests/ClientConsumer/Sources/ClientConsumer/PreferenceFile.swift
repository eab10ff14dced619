// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginClient
import Tweaks

/// A file of preferences, as an application has one: tokens and tweaks are values in it.
struct PreferenceFile: Sendable {
    let path: String

    private struct Content: Codable {
        var tokens: CachedTokens?
        var revision: Int64 = 0
        var tweaks: [String: TweakOverride] = [:]

        mutating func set(_ id: String, to value: String?, by author: String) {
            revision += 1
            tweaks[id] = TweakOverride(
                id: id,
                value: value,
                changedAt: Date(),
                changedBy: author,
                revision: revision
            )
        }
    }

    private func read() throws -> Content {
        guard let data = FileManager.default.contents(atPath: path) else { return Content() }
        return try JSONDecoder().decode(Content.self, from: data)
    }

    private func change(_ body: (inout Content) throws -> Void) throws {
        var content = try read()
        try body(&content)
        let isNew = !FileManager.default.fileExists(atPath: path)
        if isNew {
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        try JSONEncoder().encode(content).write(to: URL(filePath: path), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}

extension PreferenceFile: TokenCachingStrategy {
    func cache(_ tokens: CachedTokens) async throws { try change { $0.tokens = tokens } }

    func fetch() async throws -> CachedTokens? { try read().tokens }

    func clear() async throws { try change { $0.tokens = nil } }
}

extension PreferenceFile: TweakPersistence {
    func revision() async throws(TweakError) -> Int64 { try stored { try read().revision } }

    func load() async throws(TweakError) -> TweakOverrides {
        try stored {
            let content = try read()
            return TweakOverrides(revision: content.revision, tweaks: content.tweaks)
        }
    }

    func set(_ id: String, to value: String?, expecting revision: Int64, by author: String) async throws(TweakError) {
        try stored {
            try change { content in
                guard content.tweaks[id]?.revision ?? 0 == revision else { throw TweakError.overtaken }
                content.set(id, to: value, by: author)
            }
        }
    }

    func set(_ values: [String: String?], expecting revision: Int64, by author: String) async throws(TweakError) {
        try stored {
            try change { content in
                guard content.revision == revision else { throw TweakError.overtaken }
                for (id, value) in values { content.set(id, to: value, by: author) }
            }
        }
    }

    private func stored<Value>(_ body: () throws -> Value) throws(TweakError) -> Value {
        do {
            return try body()
        } catch let error as TweakError {
            throw error
        } catch {
            throw TweakError(.store, "the preferences cannot be used")
        }
    }
}
