// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// An attribute of an HTML element.
///
/// There is one function for each attribute that the pages use, and none for event handlers and styles, which therefore
/// cannot be written by mistake. Links take a ``LocalPath``, an ID of the page, a
/// ``SupportLink``, or an `otpauth` URL.
struct Attribute: Sendable {
    let name: StaticString
    /// The unescaped value; nil for a Boolean attribute.
    let value: String?

    private init(_ name: StaticString, _ value: String?) {
        self.name = name
        self.value = value
    }
}

extension Attribute {
    static func id(_ id: String) -> Self { Self("id", id) }
    static func `class`(_ name: StaticString) -> Self { Self("class", name.description) }
    static func lang(_ tag: String) -> Self { Self("lang", tag) }
    static func dir(_ direction: String) -> Self { Self("dir", direction) }
    static func role(_ role: StaticString) -> Self { Self("role", role.description) }
    static func name(_ name: String) -> Self { Self("name", name) }
    static func value(_ value: String) -> Self { Self("value", value) }
    static func content(_ value: StaticString) -> Self { Self("content", value.description) }
    static func charset(_ name: StaticString) -> Self { Self("charset", name.description) }
    static func rel(_ relation: StaticString) -> Self { Self("rel", relation.description) }
    static func `for`(_ id: String) -> Self { Self("for", id) }
    static func type(_ type: StaticString) -> Self { Self("type", type.description) }
    static func datetime(_ time: String) -> Self { Self("datetime", time) }
    static func autocomplete(_ purpose: StaticString) -> Self { Self("autocomplete", purpose.description) }
    static func autocapitalize(_ way: StaticString) -> Self { Self("autocapitalize", way.description) }
    static func inputmode(_ mode: StaticString) -> Self { Self("inputmode", mode.description) }
    static func maxlength(_ count: Int) -> Self { Self("maxlength", "\(count)") }
    static func tabindex(_ index: Int) -> Self { Self("tabindex", "\(index)") }

    static func ariaLabel(_ label: String) -> Self { Self("aria-label", label) }
    static func ariaLabelledBy(_ ids: String) -> Self { Self("aria-labelledby", ids) }
    static func ariaDescribedBy(_ ids: String) -> Self { Self("aria-describedby", ids) }
    static func ariaCurrent(_ what: StaticString) -> Self { Self("aria-current", what.description) }

    static let required = Self("required", nil)
    static let autofocus = Self("autofocus", nil)
    static let hidden = Self("hidden", nil)
    static let deferred = Self("defer", nil)
    static let post = Self("method", "post")
    static let novalidate = Self("novalidate", nil)
    static let invalid = Self("aria-invalid", "true")
    static let hiddenFromReaders = Self("aria-hidden", "true")
    static let notSpellchecked = Self("spellcheck", "false")
    static let download = Self("download", "")
    static let noIcon = Self("href", "data:,")
}

extension Attribute {
    /// Returns a link to a path of this service.
    static func href(_ path: LocalPath) -> Self { Self("href", path.text) }

    /// Returns the source of a script or an image, always a file of this service.
    static func src(_ path: LocalPath) -> Self { Self("src", path.text) }

    /// Returns the target of a form, always a path of this service.
    static func action(_ path: LocalPath) -> Self { Self("action", path.text) }

    /// Returns a link to an element of the same page.
    static func href(element id: String) -> Self { Self("href", "#\(id)") }

    /// Returns a link to the support of the service.
    static func href(support link: SupportLink) -> Self { Self("href", link.text) }

    /// Returns a link to an authenticator app; nil for a URL that is not `otpauth://totp/`.
    static func href(otpauth address: String) -> Self? {
        address.utf8.starts(with: "otpauth://totp/".utf8) ? Self("href", address) : nil
    }
}

/// The attributes of images.
extension Attribute {
    static func alt(_ text: String) -> Self { Self("alt", text) }
    static func viewBox(_ size: Int) -> Self { Self("viewBox", "0 0 \(size) \(size)") }
    static func path(_ commands: String) -> Self { Self("d", commands) }
    static func fill(_ color: StaticString) -> Self { Self("fill", color.description) }
    static func width(_ value: StaticString) -> Self { Self("width", value.description) }
    static func height(_ value: StaticString) -> Self { Self("height", value.description) }
    static let crispEdges = Self("shape-rendering", "crispEdges")
}
#endif
