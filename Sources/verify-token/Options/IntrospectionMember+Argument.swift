// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
// A conformance of a public type to a public protocol is public, so the imports must be public too.
public import ArgumentParser
public import LoginTokens

/// The conformance that lets options take, list and complete the names of the members.
extension IntrospectionPolicy.Member: ExpressibleByArgument {}
#endif
