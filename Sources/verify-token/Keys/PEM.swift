// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginCrypto
internal import LoginText
internal import LoginTokens

/// An error about a key that cannot be converted from or to PEM form.
struct PEMError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A key in PEM form (RFC 7468), and a public one also as a key set (RFC 7517).
enum PEM {
    /// Returns whether a file is in PEM form: it has a block, which other text may precede (RFC 7468 §2), and is not
    /// JSON.
    static func isPEM(_ content: some Collection<UInt8>) -> Bool {
        let first = content.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first != UInt8(ascii: "{") && first != UInt8(ascii: "[")
            && content.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).contains {
                $0.starts(with: "-----BEGIN ".utf8)
            }
    }

    /// Returns the single public key of a file as a key set in JSON.
    ///
    /// For a certificate, this is the subject's key.
    ///
    /// - Parameters:
    ///   - content: The file.
    ///   - keyID: The key ID to add, since PEM form has none; nil for none.
    /// - Returns: A key set of one key.
    /// - Throws: ``PEMError`` for a private key, for no block or several, and for a malformed key or one of an
    ///   unsupported type.
    static func keySet(_ content: some Collection<UInt8>, keyID: String? = nil) throws(PEMError) -> [UInt8] {
        let key = try members(numbers(content))
        return JSONWriter.object { json in
            json.add(name: "keys")
            json.addArray { json in
                json.addObject { json in
                    for (name, value) in key { json.add(name, value) }
                    if let keyID { json.add("kid", keyID) }
                }
            }
        }
    }

    /// Returns a public key in PEM form, without a line break at the end; nil if it cannot be encoded.
    static func text(_ key: PublicKey) -> String? {
        key.subjectPublicKeyInfo.map { block("PUBLIC KEY", $0) }
    }

    /// Returns the single private key of a file.
    ///
    /// Other blocks, such as the parameters or the certificate of the key, are ignored.
    ///
    /// - Parameter content: The file.
    /// - Returns: The private key.
    /// - Throws: ``PEMError`` for no private key or several, and for an encrypted or malformed one, or one of an
    ///   unsupported type.
    static func privateKey(_ content: some Collection<UInt8>) throws(PEMError) -> PrivateKey {
        let blocks = PEMBlock.blocks(in: content).filter { $0.label.hasSuffix("PRIVATE KEY") }
        guard let block = blocks.first, blocks.count == 1 else {
            throw PEMError("it has \(blocks.count) private keys in PEM form; use a file with one")
        }
        guard block.label != "ENCRYPTED PRIVATE KEY" else {
            throw PEMError("its key is encrypted. Decrypt it into a private file: openssl pkey -in FILE -out NEW")
        }
        guard let key = PrivateKey(der: block.bytes) else {
            throw PEMError("its key is malformed or encrypted, or neither RSA nor EC (P-256, P-384, P-521) nor Ed25519")
        }
        return key
    }

    /// Returns the DER of the single certificate of a file.
    ///
    /// Other blocks, such as the private key of the certificate, are ignored.
    ///
    /// - Parameter content: The file.
    /// - Returns: The DER, which is not parsed.
    /// - Throws: ``PEMError`` for no certificate or several.
    static func certificate(_ content: some Collection<UInt8>) throws(PEMError) -> [UInt8] {
        let certificates = PEMBlock.blocks(in: content).filter { $0.label == "CERTIFICATE" }
        guard let certificate = certificates.first, certificates.count == 1 else {
            throw PEMError("it has \(certificates.count) certificates in PEM form; use a file with one")
        }
        return certificate.bytes
    }

    /// Returns a private key in PEM form, without a line break at the end; nil if it cannot be encoded.
    static func privateKeyText(_ key: PrivateKey) -> String? {
        key.privateKeyInfo.map { block("PRIVATE KEY", $0) }
    }

    private static func block(_ label: String, _ der: [UInt8]) -> String {
        let base64 = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----"
    }

    private static func numbers(_ content: some Collection<UInt8>) throws(PEMError) -> PublicKeyNumbers {
        let blocks = PEMBlock.blocks(in: content)
        if blocks.contains(where: { $0.label.hasSuffix("PRIVATE KEY") }) {
            throw PEMError("it contains a private key. Extract the public key: openssl pkey -in FILE -pubout")
        }
        guard let block = blocks.first, blocks.count == 1 else {
            throw PEMError("it has \(blocks.count) complete PEM blocks; use a file with one public key or certificate")
        }
        let numbers: PublicKeyNumbers?
        switch block.label {
        case "PUBLIC KEY": numbers = PublicKeyNumbers(subjectPublicKeyInfo: block.bytes)
        case "CERTIFICATE": numbers = PublicKeyNumbers(certificate: block.bytes)
        case "RSA PUBLIC KEY":
            throw PEMError("it contains an RSA PUBLIC KEY. Convert it: openssl rsa -RSAPublicKey_in -in FILE -pubout")
        default: throw PEMError("it contains \(quoted(block.label)), not a public key or a certificate")
        }
        guard let numbers else {
            throw PEMError("its key is malformed, or neither RSA nor EC (P-256, P-384, P-521) nor Ed25519")
        }
        return numbers
    }

    private static func members(_ numbers: PublicKeyNumbers) -> [(name: String, value: String)] {
        switch numbers {
        case .rsa(let modulus, let exponent):
            [("kty", "RSA"), ("n", Base64URL.encode(modulus)), ("e", Base64URL.encode(exponent))]
        case .ec(let curve, let x, let y):
            [("kty", "EC"), ("crv", curve.rawValue), ("x", Base64URL.encode(x)), ("y", Base64URL.encode(y))]
        case .ed25519(let bytes):
            [("kty", "OKP"), ("crv", "Ed25519"), ("x", Base64URL.encode(bytes))]
        }
    }
}
#endif
