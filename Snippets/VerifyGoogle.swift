// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The second example of README.md: VerifyGoogle TOKEN NONCE

#if HTTPClient
import LoginKeys
import LoginTokens

let google = try TokenVerifier(issuer: .google, audience: "client-1")
let token = try await google.verify(text, nonce: .exactly(nonce))

// snippet.hide
print(token.subject)

var text: String { CommandLine.arguments.dropFirst().first ?? "" }
var nonce: String { CommandLine.arguments.dropFirst(2).first ?? "" }
#endif
