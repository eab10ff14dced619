// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
// A conformance of a public type to a public protocol is public, and so must be the imports.
public import ArgumentParser
public import LoginTokens

/// The names of the algorithms are what the option takes, lists in its help, and completes.
extension SignatureAlgorithm: ExpressibleByArgument {}
#endif
