// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// An input field.
struct FormField: Sendable {
    /// The ID, which is also the name in the form.
    var id: String

    /// The label.
    var label: String

    /// The help text.
    var hint: Phrase?

    var kind = Kind.text

    /// The previous input; nil for secrets, which are never sent back.
    var value: String?

    /// The kind of input, which determines the keyboard and autofill (WCAG 2.2, 1.3.5 and 3.3.8).
    enum Kind: Sendable {
        case text
        case email
        case phone
        case currentPassword
        case newPassword
        case oneTimeCode
        case recoveryCode
    }
}

/// The prominence of a button.
enum ButtonWeight: Sendable {
    case primary, secondary, quiet
    /// The button that makes a change which cannot be undone, on the page that explains it.
    case danger
}

extension Page {
    /// Returns a form with its CSRF token.
    ///
    /// Browsers do not validate it. The page that the server returns shows the problems, in its own language and with
    /// links to the fields.
    func form(to path: LocalPath, _ hidden: [(String, String)] = [], @HTMLBuilder content: () -> HTML) -> HTML {
        HTML(
            "form",
            [.post, .action(path), .novalidate],
            build {
                self.hidden("csrf", frame.csrf)
                for (name, value) in hidden { self.hidden(name, value) }
                content()
            }
        )
    }

    /// Returns a form that consists of a button.
    func button(
        to path: LocalPath,
        _ weight: ButtonWeight = .primary,
        _ hidden: [(String, String)] = [],
        @HTMLBuilder label: () -> HTML
    ) -> HTML {
        form(to: path, hidden) { submit(weight, label: label) }
    }

    /// Returns the submit button of a form.
    func submit(_ weight: ButtonWeight = .primary, @HTMLBuilder label: () -> HTML) -> HTML {
        let look: Attribute =
            switch weight {
            case .primary: .class("primary")
            case .secondary: .class("secondary")
            case .quiet: .class("quiet")
            case .danger: .class("danger")
            }
        return HTML("button", [.type("submit"), look], label())
    }

    private func hidden(_ name: String, _ value: String) -> HTML {
        HTML(void: "input", [.type("hidden"), .name(name), .value(value)])
    }

    /// Returns a field with its label, its help text and its problem.
    func field(_ field: FormField) -> HTML {
        let problem = problems.first { $0.field == field.id }
        let hintID = field.hint.map { _ in "\(field.id)-hint" }
        let problemID = problem.map { _ in "\(field.id)-problem" }
        let descriptions = [problemID, hintID].compactMap(\.self).joined(separator: " ")
        let described: [Attribute?] = [
            .id(field.id), .name(field.id),
            descriptions.isEmpty ? nil : .ariaDescribedBy(descriptions),
            problem == nil ? nil : .invalid,
        ]
        return div(.class("field")) {
            HTML("label", [.for(field.id)], HTML(field.label))
            if let hint = field.hint, let hintID {
                p(.class("hint"), .id(hintID)) { hint }
            }
            if let problem, let problemID {
                p(.class("problem"), .id(problemID)) { problem.message }
            }
            HTML(void: "input", described + Self.attributes(of: field))
        }
    }

    private static func attributes(of field: FormField) -> [Attribute?] {
        // Pasting and autofill are allowed in all fields, so that nobody has to remember or retype a secret.
        switch field.kind {
        case .text:
            [.type("text"), .autocomplete("off"), .maxlength(100), .dir("auto"), field.value.map { .value($0) }]
        case .email:
            [
                .type("email"), .autocomplete("username"), .inputmode("email"), .autocapitalize("none"),
                .notSpellchecked, .required, field.value.map { .value($0) },
            ]
        case .phone:
            [.type("text"), .autocomplete("tel"), .inputmode("tel"), .required, field.value.map { .value($0) }]
        case .currentPassword: [.type("password"), .autocomplete("current-password"), .required]
        case .newPassword: [.type("password"), .autocomplete("new-password"), .required]
        case .oneTimeCode:
            [
                .type("text"), .autocomplete("one-time-code"), .inputmode("numeric"), .notSpellchecked, .required,
            ]
        case .recoveryCode:
            [.type("text"), .autocomplete("off"), .autocapitalize("characters"), .notSpellchecked, .required]
        }
    }

    /// Returns the known address of a password form, and a hidden field with it, which is also for password managers.
    func knownAddress(_ email: String) -> HTML {
        var address = facts([(text.login.email, value(email))])
        address += HTML(void: "input", [.type("hidden"), .name("email"), .value(email), .autocomplete("username")])
        return address
    }

    /// Returns a group of radio buttons.
    func choice(_ id: String, _ question: String, _ answers: [(value: String, label: Phrase)]) -> HTML {
        let problem = problems.first { $0.field == id }
        let problemID = problem.map { _ in "\(id)-problem" }
        return HTML(
            "fieldset",
            [problemID.map { .ariaDescribedBy($0) }],
            build {
                HTML("legend", [], HTML(question))
                if let problem, let problemID {
                    p(.class("problem"), .id(problemID)) { problem.message }
                }
                for (index, answer) in answers.enumerated() {
                    // The link in the summary of problems leads to the first one.
                    let answerID = index == 0 ? id : "\(id)-\(index + 1)"
                    div(.class("choice")) {
                        HTML(
                            void: "input",
                            [.type("radio"), .id(answerID), .name(id), .value(answer.value)]
                        )
                        HTML("label", [.for(answerID)], HTML(answer.label))
                    }
                }
            }
        )
    }

    /// Returns a checkbox.
    func checkbox(_ id: String, _ label: String) -> HTML {
        let problem = problems.first { $0.field == id }
        let problemID = problem.map { _ in "\(id)-problem" }
        return div(.class("field")) {
            if let problem, let problemID {
                p(.class("problem"), .id(problemID)) { problem.message }
            }
            div(.class("choice")) {
                HTML(
                    void: "input",
                    [
                        .type("checkbox"), .id(id), .name(id), .value("yes"), .required,
                        problemID.map { .ariaDescribedBy($0) }, problem == nil ? nil : .invalid,
                    ]
                )
                HTML("label", [.for(id)], HTML(label))
            }
        }
    }
}
#endif
