// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
// A conformance of a public type to a public protocol is public, so the imports must be public too.
public import ArgumentParser
public import LoginTokens

/// The conformance that lets options take, list and complete the names of the algorithms.
extension SignatureAlgorithm: ExpressibleByArgument {}

/// The conformance that lets options take, list and complete the names of the encodings.
extension SharedSecret.Encoding: ExpressibleByArgument {}

/// An accepted algorithm: of the issuer's keys, or of a shared secret.
enum AcceptedAlgorithm: ExpressibleByArgument {
    case key(SignatureAlgorithm)
    case secret(SharedSecret.Algorithm)

    init?(argument: String) {
        if let algorithm = SignatureAlgorithm(rawValue: argument) {
            self = .key(algorithm)
        } else if let algorithm = SharedSecret.Algorithm(rawValue: argument) {
            self = .secret(algorithm)
        } else {
            return nil
        }
    }

    static var allValueStrings: [String] {
        SignatureAlgorithm.allCases.map(\.rawValue) + SharedSecret.Algorithm.allCases.map(\.rawValue)
    }

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension [AcceptedAlgorithm] {
    /// The algorithms of keys.
    var ofKeys: Set<SignatureAlgorithm> {
        Set(
            compactMap { accepted -> SignatureAlgorithm? in
                guard case .key(let algorithm) = accepted else { return nil }
                return algorithm
            }
        )
    }

    /// The algorithms of a shared secret.
    var ofSecret: [SharedSecret.Algorithm] {
        compactMap { accepted -> SharedSecret.Algorithm? in
            guard case .secret(let algorithm) = accepted else { return nil }
            return algorithm
        }
    }
}
#endif
