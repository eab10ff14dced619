// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginHTTP
@testable import LoginPages

/// The rules for every page.
///
/// The numbers are success criteria of WCAG 2.2.
struct PageRules {
    let page: StrictHTML.Element
    private(set) var broken: [String] = []

    /// Returns the rules that a page breaks, as sentences.
    static func broken(by html: HTML) throws -> [String] { try broken(byMarkup: html.markup) }

    /// Returns the rules that a page breaks in the form in which it was sent.
    static func broken(byMarkup markup: String) throws -> [String] {
        var rules = PageRules(page: try StrictHTML.page(markup))
        rules.checkDocument()
        rules.checkHeadings()
        rules.checkReferences()
        rules.checkForms()
        rules.checkLabels()
        rules.checkAddresses()
        rules.checkNesting()
        return rules.broken
    }

    private init(page: StrictHTML.Element) { self.page = page }

    /// The texts in the language of the page.
    private var text: PageText { PageText.all.first { $0.frame.language == page["lang"] } ?? .english }

    private mutating func require(_ condition: Bool, _ sentence: String) {
        if !condition { broken.append(sentence) }
    }

    /// 2.4.2 Page Titled, 3.1.1 Language of Page, 2.4.1 Bypass Blocks, 1.3.1 Info and Relationships.
    private mutating func checkDocument() {
        require(!(page["lang"] ?? "").isEmpty, "no language")
        let heading = page.all("h1").first?.text ?? ""
        let titles = page.all("title")
        require(
            titles.count == 1 && titles[0].text.contains(heading) && !heading.isEmpty,
            "the title is not that of the page"
        )
        require(page.all("main").count == 1, "not one main")
        require(page.all("a").first?["href"] == "#content", "the first link does not skip to the content")
        require(page.all("main").first?["id"] == "content", "nothing to skip to")
        require(page.all("nav").allSatisfy { !($0["aria-label"] ?? "").isEmpty }, "a navigation without a name")
    }

    /// 1.3.1, 2.4.6 Headings and Labels.
    private mutating func checkHeadings() {
        let headings = page.all.filter { ["h1", "h2", "h3"].contains($0.name) }
        require(headings.count { $0.name == "h1" } == 1, "not one h1")
        require(headings.first?.name == "h1", "something stands above the h1")
        require(headings.allSatisfy { !$0.text.isEmpty }, "an empty heading")
        let levels = headings.compactMap { Int($0.name.dropFirst()) }
        require(zip(levels, levels.dropFirst()).allSatisfy { $1 <= $0 + 1 }, "a level of headings is left out")
    }

    /// 4.1.2 Name, Role, Value; 3.3.1 Error Identification.
    private mutating func checkReferences() {
        let ids = page.all.compactMap { $0["id"] }
        require(Set(ids).count == ids.count, "an ID stands twice")
        for element in page.all {
            for attribute in ["aria-labelledby", "aria-describedby", "for"] {
                for id in (element[attribute] ?? "").split(separator: " ") {
                    require(ids.contains(String(id)), "\(attribute) names \(id), which is not there")
                }
            }
            if let href = element["href"], href.hasPrefix("#") {
                require(ids.contains(String(href.dropFirst())), "a link to \(href), which is not there")
            }
        }
        let summary = page.all("div").first { $0["role"] == "alert" }
        for invalid in page.all("input") where invalid["aria-invalid"] != nil {
            let linked = summary?.all("a").contains { $0["href"] == "#\(invalid["id"] ?? "")" } ?? false
            require(linked, "what is wrong with \(invalid["id"] ?? "") is not in the summary")
            require(invalid["aria-describedby"]?.contains("-problem") ?? false, "what is wrong is not beside the field")
        }
        require(
            page.all("title")[0].text.hasPrefix(text.frame.titleWithProblem("")) == (summary != nil),
            "the title does not say of problems"
        )
    }

    private mutating func checkForms() {
        for form in page.all("form") {
            require(form["method"] == "post", "a form that is not posted")
            let tokens = form.all("input").filter { $0["name"] == "csrf" }
            require(
                tokens.count == 1 && tokens[0]["type"] == "hidden" && !(tokens[0]["value"] ?? "").isEmpty,
                "no token"
            )
            require(form.all("form").count == 1, "a form in a form")
            require(form.all("button").count == 1, "not one button in a form")
            let names = form.all("input").filter { $0["type"] != "radio" }.compactMap { $0["name"] }
            require(Set(names).count == names.count, "two fields of one name")
        }
        require(page.all("button").count == page.all("form").count, "a button without a form")
        require(page.all("button").allSatisfy { $0["type"] == "submit" && !$0.text.isEmpty }, "a button without words")
    }

    /// 1.3.5 Identify Input Purpose, 3.3.2 Labels or Instructions, 3.3.8 Accessible Authentication.
    private mutating func checkLabels() {
        for input in page.all("input") where input["type"] != "hidden" {
            let labels = page.all("label").filter { $0["for"] == input["id"] && input["id"] != nil }
            require(labels.count == 1 && !labels[0].text.isEmpty, "no label of \(input["name"] ?? "")")
            if ["text", "email", "password"].contains(input["type"] ?? "") {
                require(input["autocomplete"] != nil, "\(input["name"] ?? "") does not say what is typed")
            }
            // Secrets are never sent back.
            let isSecret = input["type"] == "password" || input["name"] == "code"
            require(!isSecret || input["value"] == nil, "a secret comes back")
        }
        for fieldset in page.all("fieldset") {
            require(fieldset.elements.first?.name == "legend", "a group without a name")
        }
        require(
            page.all("svg").allSatisfy { $0["role"] == "img" && !($0["aria-label"] ?? "").isEmpty },
            "a picture without words"
        )
        require(
            page.all("img").allSatisfy { $0["alt"] != nil && $0["width"] != nil && $0["height"] != nil },
            "an image without alternative text or without its size"
        )
    }

    /// No resource comes from another origin, and no link leads to one, except those for an app on the device and for
    /// the support.
    private mutating func checkAddresses() {
        for element in page.all {
            guard let address = element["href"] ?? element["action"] ?? element["src"] else { continue }
            let isFine =
                switch element.name {
                case "link": address == StyleSheet.asset.path.text || address == "data:,"
                case "script": address == FragmentScript.asset.path.text
                case "form": LocalPath(address) != nil
                default:
                    LocalPath(address) != nil || address.hasPrefix("#") || address.hasPrefix("otpauth://totp/")
                        || address == "mailto:help@example.com"
                }
            require(isFine, "\(element.name) leads to \(address)")
            require(element.name != "a" || !element.text.isEmpty, "a link without words")
        }
    }

    /// Elements are nested as HTML requires: otherwise browsers build another tree.
    private mutating func checkNesting() {
        let phrasing: Set = ["a", "bdi", "code", "time", "img", "svg", "rect", "path"]
        for element in page.all {
            let names = element.elements.map(\.name)
            switch element.name {
            case "ul", "ol": require(!names.isEmpty && names.allSatisfy { $0 == "li" }, "a list of \(names)")
            case "dl": require(!names.isEmpty && names.allSatisfy { $0 == "div" }, "a list of facts of \(names)")
            case "p", "h1", "h2", "h3", "a", "button", "label", "legend", "dt", "bdi", "code", "title", "strong":
                require(names.allSatisfy(phrasing.contains), "\(names) in \(element.name)")
                require(!element.text.isEmpty, "an empty \(element.name)")
            default: break
            }
            if element.name == "a" { require(element.all("a").count == 1, "a link in a link") }
        }
    }
}
#endif
