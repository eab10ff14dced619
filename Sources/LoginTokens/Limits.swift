// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The size and range limits for input, each with its reason.
///
/// Input beyond a limit is refused, never truncated.
public enum Limits {
    /// The default maximum size of a token: 16 KiB.
    ///
    /// A Limited Login token with every permission and about two hundred friends stays under 8 KiB. Web servers
    /// commonly limit a header line to 8 KiB.
    public static let tokenBytes = 16 * 1024

    /// The range of the maximum size of a token: 16 KiB to 64 KiB.
    ///
    /// Access tokens that list the roles of a user in every part of a large system have 20 to 50 KiB.
    public static let tokenBytesRange = tokenBytes...64 * 1024

    /// The default maximum size of a decoded JOSE header: 4 KiB.
    ///
    /// This leaves space for a certificate, which is ignored.
    public static let headerBytes = 4 * 1024

    /// The range of the maximum size of a decoded JOSE header: 4 KiB to 16 KiB.
    ///
    /// A chain of certificates with long keys has up to 12 KiB.
    public static let headerBytesRange = headerBytes...16 * 1024

    /// The maximum size of a decoded signature: 1,024 bytes, the size of a signature by the largest accepted RSA key.
    public static let signatureBytes = 1024

    /// The maximum nesting depth of JSON: 16.
    ///
    /// Tokens nest two or three levels deep.
    public static let jsonDepth = 16

    /// The maximum number of members in a JSON object: 128.
    ///
    /// Each name is compared with every earlier one, so the number must be small.
    public static let jsonMembers = 128

    /// The maximum length of a key ID: 256 bytes.
    ///
    /// Facebook's key IDs have 40 bytes.
    public static let keyIDBytes = 256

    /// The maximum length of a shared secret: 1,024 bytes.
    ///
    /// HMAC hashes a key of more than 64 or 128 bytes, so a longer secret is not stronger.
    public static let secretBytes = 1024

    /// The maximum length of a subject: 255 bytes of ASCII (OpenID Connect Core §2).
    public static let subjectBytes = 255

    /// The maximum length of the subject of an access token: 1,024 bytes.
    ///
    /// The subject of a job at GitLab contains the path of the project and the name of the branch.
    public static let accessTokenSubjectBytes = 1024

    /// The maximum size of a JWK set of up to ``keySetKeys``: 256 KiB, more than ten times the largest set of the major
    /// providers, certificates included.
    public static let keySetBytes = 256 * 1024

    /// The maximum size of a JWK set if more keys are allowed: 1 MiB, a thousand keys of 1 KiB.
    public static let largestKeySetBytes = 1024 * 1024

    /// The default maximum number of keys in a set: 100.
    ///
    /// Providers publish between two and about twelve.
    public static let keySetKeys = 100

    /// The range of the maximum number of keys in a set: 100 to 1,000.
    ///
    /// Importing a key costs up to 50 microseconds, with each fetch.
    public static let keySetKeysRange = keySetKeys...1000

    /// The maximum size of a discovery document: 64 KiB, ten times the largest document of the major providers.
    public static let discoveryDocumentBytes = 64 * 1024

    /// The maximum size of a token endpoint response: 256 KiB, enough for three tokens of the largest size.
    public static let tokenResponseBytes = 256 * 1024

    /// The deadline for a token endpoint response: 10 seconds.
    ///
    /// A user waits for the response in a browser. The authorization code may already be used up once it was sent, so a
    /// shorter deadline would fail sign-ins that a slow provider would have completed.
    public static let tokenResponseDeadline: Duration = .seconds(10)

    /// The maximum size of a UserInfo response: 64 KiB, as much as the largest ID token.
    public static let userInfoBytes = 64 * 1024

    /// The deadline for a UserInfo response: 5 seconds.
    ///
    /// A user waits for it, after the response of the token endpoint.
    public static let userInfoDeadline: Duration = .seconds(5)

    /// The maximum number of absent key IDs remembered per provider: 128.
    ///
    /// When the list is full, the oldest entry is dropped.
    public static let absentKeyIDs = 128

    /// The maximum number of verifications that wait for keys at one time, per provider: 10,000.
    ///
    /// Further verifications fail at once because no keys are available, instead of taking memory.
    public static let waitingVerifications = 10_000

    /// The range of RSA modulus lengths, in bits.
    ///
    /// RSA below 2,048 bits is too weak. Above 8,192 bits one verification costs at least a third of a millisecond,
    /// which makes denial of service cheap.
    public static let rsaModulusBits = 2048...8192

    /// The maximum number of leading zero bytes of a number in a published RSA key: 8.
    ///
    /// Libraries write up to one for the sign, or fill the number up to a multiple of their word. The size of the key is
    /// that without them.
    public static let leadingZeroBytes = 8

    /// The maximum number of different keys with one ID that are tried for a token: 4.
    ///
    /// A forged token costs as many signature checks. A rotation that reuses an ID needs two.
    public static let keysPerID = 4

    /// The range of RSA public exponents.
    ///
    /// With exponent 1 anybody can forge a signature. Beyond 32 bits, verification gets up to a hundred times slower.
    public static let rsaExponent: ClosedRange<UInt64> = 3...0xFFFF_FFFF

    /// The range of the leeway for clock skew: at most 300 s.
    ///
    /// A larger leeway would silently extend the lifetime of every token.
    public static let leeway: ClosedRange<Duration> = .zero ... .seconds(300)

    /// The range of nonce lifetimes: 1 to 600 s.
    ///
    /// Within ten minutes a user has signed in, second factor included, or has given up. A longer lifetime helps only
    /// an attacker who obtained the nonce.
    public static let nonceLifetime: ClosedRange<Duration> = .seconds(1) ... .seconds(600)

    /// The maximum number of nonces that one process stores: 100,000, about 50 MB.
    ///
    /// With a lifetime of ten minutes, that is 166 new attempts per second.
    public static let storedNonces = 100_000

    /// The range of the maximum age of a DPoP proof: 1 to 300 s, the largest leeway for tokens.
    ///
    /// Every accepted proof is stored until it is too old, so a longer range would cost memory and protect less.
    public static let proofAge: ClosedRange<Duration> = .seconds(1) ... .seconds(300)

    /// The range of the time by which a DPoP proof may be ahead of the clock: 0 to 60 s.
    ///
    /// A proof that is ahead is accepted, and stored, for longer by as much. An attacker with short access to the key
    /// can make proofs that far in advance.
    public static let proofLeeway: ClosedRange<Duration> = .zero ... .seconds(60)

    /// The range of lifetimes of a server nonce for DPoP proofs: 10 to 600 s.
    ///
    /// A shorter lifetime would make slow clients repeat most requests.
    public static let proofNonceLifetime: ClosedRange<Duration> = .seconds(10) ... .seconds(600)

    /// The minimum length of the secret of server nonces: 32 bytes, the output of the hash function (RFC 2104 §3).
    public static let proofNonceSecretBytes = 32

    /// The maximum length of a proof's ID, `jti`: 256 bytes.
    ///
    /// A UUID has 36 bytes.
    public static let proofIDBytes = 256

    /// The maximum length of the RSA modulus of a proof's key: 4,096 bits.
    ///
    /// The sender of a proof chooses its key, and with it the cost of the signature check.
    public static let proofModulusBits = 4096

    /// The default maximum number of proofs that one process stores: 100,000, about 12 MB.
    ///
    /// With the default age of 60 seconds, that is 1,600 proofs per second.
    public static let storedProofs = 100_000

    /// The maximum size of a client certificate: 16 KiB.
    ///
    /// Certificates of clients have one to four.
    public static let certificateBytes = 16 * 1024

    /// The maximum length of a login's nonce, or of another short text of it: 256 bytes.
    ///
    /// A SHA-256 in hexadecimal has 64 bytes. A longer text takes space from the rest of the login dialog's URL, which
    /// has at most 8 KiB.
    public static let loginNonceBytes = 256

    /// The maximum number of permissions that one login requests: 64, more than Facebook defines for users and pages
    /// together.
    public static let requestedPermissions = 64

    /// The maximum length of a permission name: 64 bytes.
    ///
    /// The longest known names have fewer than 50 bytes.
    public static let permissionBytes = 64

    /// The default maximum number of tokens in a ``VerifiedTokenCache``: 10,000.
    public static let cachedTokens = 10_000

    /// The default maximum size of a ``VerifiedTokenCache``: 32 MiB, about 3 KiB per token.
    public static let cachedTokenBytes = 32 * 1024 * 1024

    /// The deadline for an introspection response: 5 seconds.
    ///
    /// A client waits for it with its request. Endpoints answer from a table or a cache.
    public static let introspectionDeadline: Duration = .seconds(5)

    /// The range of times for which the answer about an active token is cached: 0 to 300 s.
    ///
    /// A revoked token may be accepted for as long.
    public static let introspectionLifetime: ClosedRange<Duration> = .zero ... .seconds(300)

    /// The maximum time for which an inactive token is remembered: 10 seconds.
    ///
    /// Longer would refuse a token that becomes active after its first use, for example while the servers of an issuer
    /// synchronize.
    public static let inactiveTokenLifetime: Duration = .seconds(10)

    /// The maximum number of active tokens that one introspector caches: 10,000, at most 80 MB.
    public static let cachedIntrospections = 10_000

    /// The maximum size in memory of a cached answer: 8 KiB.
    ///
    /// An answer with the members of RFC 7662 takes about 2 KiB. Larger answers are not cached.
    public static let cachedIntrospectionBytes = 8 * 1024

    /// The maximum number of inactive tokens that one introspector remembers: 10,000, about 2 MB.
    public static let rememberedInactiveTokens = 10_000

    /// The maximum number of introspection requests in flight: 100.
    ///
    /// A flood of made-up tokens causes no more of them at a time. Further tokens are undecided.
    public static let introspectionsInFlight = 100

    /// The maximum age of a signed introspection response: 60 seconds.
    ///
    /// It is made for one request, so it is older only if a clock is wrong or an old response is sent again.
    public static let signedIntrospectionAge: Duration = .seconds(60)

    /// The maximum length of a server's URL: 2,048 bytes, more than any that a provider publishes.
    public static let urlBytes = 2048

    /// The range of times in claims, in seconds since 1970: up to the end of the year 9999.
    public static let numericDate: ClosedRange<Double> = 0...253_402_300_799

    /// The part of a refused text that is examined for what was sent instead of a token: 1 KiB, and the last bytes.
    ///
    /// The values that are mistaken for a token are shorter, or begin in a way of their own. Examining more would make a
    /// refusal more expensive than a signature.
    static let recognizedBytes = 1024

    /// The maximum number of parameters of a URL that are examined for what was sent instead of a token: 64, as of a form.
    static let recognizedParameters = 64

    /// The maximum length of an encoded segment that is decoded to recognize another kind of token: 8 KiB.
    ///
    /// The claims of most tokens have 1 or 2.
    static let recognizedSegmentBytes = 8 * 1024

    /// The maximum number of request bodies of one network that a server reads at a time: 50.
    ///
    /// A body arrives in milliseconds, so a network with thousands of users seldom has more than a few. Each of them
    /// holds a connection, which is not counted for its network if a trusted proxy has opened it.
    package static let bodiesPerNetwork = 50

    /// The maximum number of request bodies of one network while more than half of ``bodies`` are being read: 10, as of
    /// connections.
    package static let bodiesPerNetworkWhenBusy = 10

    /// The maximum number of request bodies that a server reads at a time, if the number of its connections is not
    /// limited: 400.
    ///
    /// It is half of the default number of connections. The other half is left for requests without a body: pages,
    /// forward authentication and health checks.
    package static let bodies = 400

    /// The time for a request body, before its rate is limited: 5 seconds.
    ///
    /// Most bodies arrive together with their head.
    package static let bodyGrace: Duration = .seconds(5)

    /// The minimum rate of a request body after ``bodyGrace``, in bytes per second: 4 KiB.
    ///
    /// The slowest mobile networks are about that fast. A body of 64 KiB, the maximum size that the operations accept,
    /// may take 21 seconds.
    package static let bodyBytesPerSecond = 4 * 1024

    /// The maximum length of input quoted in an error message: 96 characters, escaped.
    ///
    /// The issuer of a Microsoft tenant has 75 characters.
    public static let quotedCharacters = 96
}
