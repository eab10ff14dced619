// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import LoginKeys
internal import LoginTokens

extension IssuerDiagnosis {
    /// The findings about the key set, and about each key; empty if it was not requested.
    var keySetFindings: [Finding] {
        guard let fetch = documents.keySet else { return [] }
        var findings: [Finding] = []
        switch fetch.result {
        case .success(let fetched):
            let (usable, count) = (fetched.keys.keys.count, fetched.keys.keys.count + fetched.keys.unusableKeys.count)
            let keys = "\(usable) of \(count) \(count == 1 ? "key" : "keys")"
            findings.append(
                Finding(.keySet, .ok, "The key set was fetched \(fetch.exchange?.summary ?? ""); \(keys) can be used.")
            )
        case .failure(let failure):
            findings.append(unusable(.keySet, failure, fetch.exchange))
        }
        guard let keys else { return findings }
        findings += keys.keys.map(finding) + keys.unusableKeys.map(finding)
        return findings + keys.sharedKeyIDs.map { finding($0.keyID, sharedBy: $0.count) }
    }

    private func finding(_ keyID: String, sharedBy count: Int) -> Finding {
        let (shared, advice) = (
            "\(count) different keys have the ID \(quoted(keyID))", "Ask the provider to give its keys distinct IDs."
        )
        guard count > Limits.keysPerID else {
            return Finding(.keyIDs, .warning, "\(shared): each is tried for a token that names it.", advice: advice)
        }
        return Finding(.keyIDs, .failed, "\(shared): a token that names it is refused (key-ambiguous).", advice: advice)
    }

    /// The keys of the set, also if none of them can be used; nil without a key set.
    private var keys: JSONWebKeySet? {
        guard let fetch = documents.keySet else { return nil }
        switch fetch.result {
        case .success(let fetched): return fetched.keys
        case .failure(let failure):
            guard failure.code == .keySet, let body = fetch.exchange?.response?.body else { return nil }
            let configuration = documents.configuration
            return try? JSONWebKeySet(
                json: body,
                allowPublishedTestKeys: configuration.allowsPublishedTestKeys,
                limits: configuration.keySetLimits
            )
        }
    }

    private func finding(_ key: JSONWebKey) -> Finding {
        let algorithms = key.algorithmNames.joined(separator: ", ")
        let notes = key.notes.map { "; \($0)" }.joined()
        return Finding(.key, .ok, "\(name(of: key.keyID)) can be used: \(key), for \(algorithms)\(notes).")
    }

    private func finding(_ key: UnusableKey) -> Finding {
        let detail = "\(name(of: key.keyID)) cannot be used (\(key.reason)): \(key.detail)."
        switch key.reason {
        case .use:
            // Key sets also contain encryption keys.
            return Finding(.key, .ok, detail)
        case .privateKey:
            let advice = "Tell the provider, privately and at once: everybody can sign with it."
            return Finding(.key, .failed, detail, advice: advice)
        case .published:
            let advice =
                "Tell the provider, privately and at once: everybody can sign with it. "
                + "--allow-published-test-keys allows it, for tests."
            return Finding(.key, .failed, detail, advice: advice)
        default:
            let advice = "Tell the provider, if its tokens name this key: they are refused (key-unusable)."
            return Finding(.key, .warning, detail, advice: advice)
        }
    }

    private func name(of keyID: String?) -> String { keyID.map { "Key \(quoted($0))" } ?? "A key without ID" }
}

// MARK: Algorithms

extension IssuerDiagnosis {
    /// The algorithms that the provider offers and its keys have, compared with those that are supported and accepted;
    /// nil if neither is known.
    var algorithmFinding: Finding? {
        let offered = documents.discovery?.document?.idTokenSigningAlgorithms
        let usable = keys?.keys ?? []
        guard offered != nil || !usable.isEmpty else { return nil }
        let supported = SignatureAlgorithm.allCases.filter { offered?.contains($0.rawValue) ?? true }
        guard !supported.isEmpty else {
            return Finding(
                .algorithms,
                .failed,
                "The document lists \(quoted(offered ?? [])), none of which is supported: "
                    + "every token is refused (algorithm).",
                advice: "Let the provider sign ID tokens with RS256; those with a secret need --secret-file."
            )
        }
        let verifiable = supported.filter { algorithm in
            usable.isEmpty || usable.contains { $0.algorithms.contains(algorithm) }
        }
        guard let first = verifiable.first else {
            return Finding(
                .algorithms,
                .warning,
                "The document lists \(quoted(offered ?? [])), and no usable key is for one of them.",
                advice: "Tell the provider; the header of a token names the algorithm that is used (inspect)."
            )
        }
        let list = offered.map { "lists \(quoted($0))" } ?? "lists no algorithms"
        let tokens = documents.discovery?.document == nil ? "Tokens" : "The document \(list): tokens"
        let names = verifiable.map(\.rawValue).joined(separator: ", ")
        let accepted = policy.algorithms.map(\.rawValue).sorted().joined(separator: ", ")
        guard verifiable.contains(where: policy.algorithms.contains) else {
            return Finding(
                .algorithms,
                .warning,
                "\(tokens) can be signed with \(names), and only \(accepted) is accepted by default.",
                advice: "Accept it: --algorithm \(first.rawValue), or algorithms of TokenPolicy. The service, and "
                    + "SignInProvider, accept what the document lists."
            )
        }
        let other = (offered ?? []).filter { name in !SignatureAlgorithm.allCases.contains { $0.rawValue == name } }
        let unsupported = other.isEmpty ? "" : "; \(quoted(other)) of the document is not supported"
        return Finding(
            .algorithms,
            .ok,
            "\(tokens) can be signed with \(names), and \(accepted) is accepted by default\(unsupported)."
        )
    }
}
#endif
