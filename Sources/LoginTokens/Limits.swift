// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The bounds on what is read, each with its reason.
///
/// Input beyond one is refused, never cut.
public enum Limits {
    /// A whole token: 16 KiB.
    ///
    /// A Limited Login token with every permission and some two hundred friends stays under 8 KiB; web servers commonly
    /// stop at 8 KiB a header line.
    public static let tokenBytes = 16 * 1024

    /// A decoded JOSE header: 4 KiB, room for a certificate chain that we ignore.
    public static let headerBytes = 4 * 1024

    /// A decoded signature: 1,024 bytes, that of the largest RSA key we take.
    public static let signatureBytes = 1024

    /// Nesting of JSON: 16.
    ///
    /// Tokens nest two or three deep.
    public static let jsonDepth = 16

    /// Members of one JSON object: 128.
    ///
    /// Each name is compared with each before it, so the number must be small.
    public static let jsonMembers = 128

    /// A key ID: 256 bytes.
    ///
    /// Facebook's have 40.
    public static let keyIDBytes = 256

    /// A subject: 255 bytes of ASCII (OpenID Connect Core §2).
    public static let subjectBytes = 255

    /// A JWK set: 256 KiB, ten times and more the largest of the big providers, certificates included.
    public static let keySetBytes = 256 * 1024

    /// Keys of one set: 100.
    ///
    /// Providers publish two to a dozen.
    public static let keySetKeys = 100

    /// A discovery document: 64 KiB, ten times the largest of the big providers.
    public static let discoveryDocumentBytes = 64 * 1024

    /// The answer of a token endpoint: 64 KiB, room for three tokens of the longest that are read.
    public static let tokenAnswerBytes = 64 * 1024

    /// How long a token endpoint may take: 10 seconds.
    ///
    /// Somebody waits for it in front of a browser; and a code that was sent may be used up, so that to give up early ends logins
    /// that a slow provider would have completed.
    public static let tokenAnswerDeadline: Duration = .seconds(10)

    /// Key IDs that were looked for in vain and are remembered, for each provider: 128.
    ///
    /// When it is full, the oldest gives way.
    public static let absentKeyIDs = 128

    /// How long a key ID that was looked for in vain is not looked for again: 60 seconds, two cooldowns.
    ///
    /// Longer than one, so that tokens which go on naming a key that does not exist leave looks for others; no longer, so that
    /// a key named before it was published is found soon after.
    public static let absentKeyIDLifetime: Duration = .seconds(60)

    /// Verifications that wait for keys at one time, for each provider: 10,000.
    ///
    /// Further ones are told at once that there are no keys, instead of taking memory.
    public static let waitingVerifications = 10_000

    /// The length of an RSA modulus.
    ///
    /// Below 2,048 bits RSA is too weak; above 8,192 one verification costs a third of a millisecond and more, a gift
    /// to whoever wants to keep us busy.
    public static let rsaModulusBits = 2048...8192

    /// An RSA public exponent.
    ///
    /// With 1 everybody can sign; beyond 32 bits verification gets up to a hundred times slower.
    public static let rsaExponent: ClosedRange<UInt64> = 3...0xFFFF_FFFF

    /// The leeway for clocks that disagree: at most 300 s.
    ///
    /// More would quietly lengthen the life of every token.
    public static let leeway: ClosedRange<Duration> = .zero ... .seconds(300)

    /// The lifetime of a nonce: 1 to 600 s.
    ///
    /// Within ten minutes a person has signed in, second factor included, or has given up; what is kept longer serves only
    /// who found it.
    public static let nonceLifetime: ClosedRange<Duration> = .seconds(1) ... .seconds(600)

    /// Nonces that one process keeps: 100,000, some 50 MB.
    ///
    /// At ten minutes each, that is 166 attempts begun per second.
    public static let storedNonces = 100_000

    /// The nonce of a login, or another short text of it: 256 bytes.
    ///
    /// A SHA-256 in hexadecimal has 64; what is longer takes room from all else in the dialog's address, which has 8 KiB at most.
    public static let loginNonceBytes = 256

    /// Permissions of one login: 64, more than Facebook has for people and their pages together.
    public static let requestedPermissions = 64

    /// The name of a permission: 64 bytes.
    ///
    /// The longest that are known have fewer than 50.
    public static let permissionBytes = 64

    /// Tokens that a ``VerifiedTokenCache`` holds, unless it is told otherwise: 10,000.
    public static let cachedTokens = 10_000

    /// What these take in memory, unless it is told otherwise: 32 MiB, some 3 KiB each.
    public static let cachedTokenBytes = 32 * 1024 * 1024

    /// The address of another server: 2,048 bytes, more than any that a provider publishes.
    public static let urlBytes = 2048

    /// Times in claims, in seconds since 1970: up to the end of the year 9999.
    public static let numericDate: ClosedRange<Double> = 0...253_402_300_799

    /// What an error text quotes of its input: 96 characters, escaped.
    ///
    /// The issuer of a Microsoft tenant has 75.
    public static let quotedCharacters = 96
}
