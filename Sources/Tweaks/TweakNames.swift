// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The names of a tweak that is declared where it is used, from which its IDs are made.
struct TweakNames: Sendable {
    let category: String
    let collection: String
    let name: String

    /// The ID of the tweak, which differs for different names: no part contains a dot, and each has one reading.
    var id: String { "\(Self.escaped(category)).\(Self.escaped(collection)).\(Self.escaped(name))" }

    /// The IDs of the category and the collection.
    var place: TweakPlace {
        TweakPlace(category: Self.escaped(category), collection: Self.escaped(collection))
    }

    /// Returns a name in the characters of an ID: lowercase letters, digits and hyphens.
    ///
    /// A space becomes `--`, an uppercase letter a hyphen and the lowercase letter, and any other byte except lowercase
    /// letters and digits a hyphen and three decimal digits.
    private static func escaped(_ name: String) -> String {
        var result = ""
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                result += "-"
                result.unicodeScalars.append(Unicode.Scalar(byte | 0x20))
            case UInt8(ascii: " "): result += "--"
            default: result += "-\(String(1000 + Int(byte)).dropFirst())"
            }
        }
        return result
    }
}
