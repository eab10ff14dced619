// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The first example of README.md: VerifyFacebook TOKEN NONCE

#if HTTPClient
import LimitedLogin
import LoginTokens

let facebook = try LimitedLoginVerifier(appID: "1234567890")
let token = try await facebook.verify(text, nonce: .exactly(nonce))
print(token.profile.userID)

// snippet.hide
var text: String { CommandLine.arguments.dropFirst().first ?? "" }
var nonce: String { CommandLine.arguments.dropFirst(2).first ?? "" }
#endif
