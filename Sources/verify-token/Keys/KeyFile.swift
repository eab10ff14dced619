// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import LoginServer
internal import LoginTokens
internal import Synchronization

/// A key source that reads a file.
///
/// It reads the file once, because a pipe cannot be read again.
///
/// If the file cannot be read, the verdict is undecided: the token may be valid.
final class KeyFile: ReportingKeySource {
    private let path: String
    private let provider: Provider
    private let allowsPublishedTestKeys: Bool
    private let limits: KeySetLimits
    private let form = Mutex((isPEM: false, failureStatus: ExitCode.undecided))
    private let found = Mutex<Result<KeySnapshot, VerificationUnavailable>?>(nil)

    init(_ path: String, of provider: Provider, allowsPublishedTestKeys: Bool, limits: KeySetLimits) {
        self.path = path
        self.provider = provider
        self.allowsPublishedTestKeys = allowsPublishedTestKeys
        self.limits = limits
    }

    var origin: KeyOrigin? {
        found.withLock { found in
            if case .success = found { KeyOrigin(place: .file) } else { nil }
        }
    }

    var mayHaveOthersLater: Bool { false }

    /// Whether the file is in PEM form; false until it was read.
    var hasKeyInPEM: Bool { form.withLock { $0.isPEM } }

    /// The exit status if there are no keys: a usage error for a missing file, because a retry would not help.
    var failureStatus: ExitCode { form.withLock { $0.failureStatus } }

    func snapshot(for issuer: String) async throws(VerificationUnavailable) -> KeySnapshot {
        let result = found.withLock { found in
            let result = found ?? Result { () throws(VerificationUnavailable) in try read() }
            found = result
            return result
        }
        return try result.get()
    }

    func refreshed(for issuer: String, unknownKeyID: String?) async throws(VerificationUnavailable) -> KeySnapshot {
        try await snapshot(for: issuer)
    }

    /// Reads the keys.
    ///
    /// The error names the address of the provider's keys, if it is known.
    private func read() throws(VerificationUnavailable) -> KeySnapshot {
        let hint = provider.keySetURL.map { "; \(provider.name) publishes its keys at \($0)" } ?? ""
        let content: [UInt8]
        do throws(FileProblem) {
            content = Array(try readFile(path, limit: Limits.largestKeySetBytes))
        } catch {
            form.withLock { $0.failureStatus = error.status }
            guard !ShownArgument(path).isWithheld else {
                throw VerificationUnavailable(
                    detail: "the value of --keys looks like a token; give a file with the issuer's keys\(hint)"
                )
            }
            throw VerificationUnavailable(detail: "\(error)\(hint)")
        }
        do {
            var json = content
            if PEM.isPEM(content) {
                form.withLock { $0.isPEM = true }
                json = try PEM.keySet(content)
            }
            let keys = try JSONWebKeySet(
                json: json,
                allowPublishedTestKeys: allowsPublishedTestKeys,
                limits: limits
            )
            return KeySnapshot(provider: provider, keys: keys)
        } catch {
            throw VerificationUnavailable(detail: "\(ShownArgument(path)): \(error)\(hint)")
        }
    }
}
#endif
