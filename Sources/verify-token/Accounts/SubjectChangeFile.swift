// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginAccounts
internal import LoginProviders
internal import LoginServer
internal import LoginTokens

/// The changes of subjects in a file: a JSON object per line, with `provider`, `old` and `new`.
///
/// Messages name lines and never subjects, which identify users.
struct SubjectChangeFile {
    /// The maximum size of a file: 16 MiB, about 160 bytes for each of the most lines.
    static let maximumBytes = 16 * 1024 * 1024

    /// The maximum number of changes in a file: each is one transaction, so a larger file is better split.
    static let maximumChanges = 100_000

    /// A change with its line, of which the first is 1.
    struct Line: Equatable {
        let number: Int
        let change: SubjectChange
    }

    /// The changes, in the order of their lines.
    let lines: [Line]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The content, in UTF-8; blank lines are skipped.
    ///   - maximumChanges: The maximum number of changes.
    /// - Throws: `OperationFailure` that names the first line that is no change, or that has a subject of an earlier line
    ///   in the same place.
    init(_ bytes: some Collection<UInt8>, maximumChanges: Int = Self.maximumChanges) throws(OperationFailure) {
        var lines: [Line] = []
        var numbers: (old: [Subject: Int], new: [Subject: Int]) = ([:], [:])
        for (index, text) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            guard !text.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) else { continue }
            let number = index + 1
            guard lines.count < maximumChanges else {
                throw OperationFailure("line \(number): a file has at most \(maximumChanges) changes; split it")
            }
            let change = try Self.change(Array(text), line: number)
            let old = Subject(provider: change.providerID, bytes: Array(change.old.utf8))
            let new = Subject(provider: change.providerID, bytes: Array(change.new.utf8))
            // Two users cannot have one subject, and one of two new subjects would be lost unnoticed.
            if let earlier = numbers.old.updateValue(number, forKey: old) {
                throw OperationFailure("line \(number): line \(earlier) has the same old subject")
            }
            if let earlier = numbers.new.updateValue(number, forKey: new) {
                throw OperationFailure("line \(number): line \(earlier) has the same new subject")
            }
            lines.append(Line(number: number, change: change))
        }
        guard !lines.isEmpty else { throw OperationFailure("the file has no changes") }
        self.lines = lines
    }

    /// A subject, compared byte for byte: texts compare by canonical equivalence.
    private struct Subject: Hashable {
        let provider: ProviderID
        let bytes: [UInt8]
    }

    private static func change(_ bytes: [UInt8], line number: Int) throws(OperationFailure) -> SubjectChange {
        let form = "expected {\"provider\": \"…\", \"old\": \"…\", \"new\": \"…\"}"
        let root: JSONValue
        do throws(JSONError) {
            // A carriage return at the end of the line is white space of JSON.
            root = try JSONDocument.read(bytes, limits: limits).root
        } catch {
            throw OperationFailure("line \(number): not strict JSON: \(error); \(form)")
        }
        let names = ["provider", "old", "new"]
        guard let members = root.members, members.count == names.count else {
            throw OperationFailure("line \(number): not an object with three members; \(form)")
        }
        var values: [String] = []
        for name in names {
            guard let value = root[name]?.string, (1...255).contains(value.utf8.count), !value.utf8.contains(0) else {
                throw OperationFailure("line \(number): \(name) is not a text of 1 to 255 bytes; \(form)")
            }
            values.append(value)
        }
        let provider = ProviderID(values[0])
        guard ![.password, .phone].contains(provider) else {
            throw OperationFailure("line \(number): no provider issues the subjects of \(provider)")
        }
        guard !values[1].utf8.elementsEqual(values[2].utf8) else {
            throw OperationFailure("line \(number): old and new are the same subject")
        }
        return SubjectChange(providerID: provider, from: values[1], to: values[2])
    }

    /// The limits of a line: three texts of 255 bytes, each of which may be escaped as six.
    private static let limits = JSONLimits(bytes: 8192, depth: 2, members: 4)
}
#endif
