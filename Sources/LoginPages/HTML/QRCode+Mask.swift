// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The choice of the mask (§7.8).
extension QRCode {
    /// Inverts the modules of a mask.
    ///
    /// Applying it twice restores the symbol.
    mutating func apply(mask: Int) {
        for y in 0..<size {
            for x in 0..<size where !isFunction[y * size + x] && Self.isTurned(mask, x, y) {
                modules[y * size + x].toggle()
            }
        }
    }

    /// Applies the mask with the lowest penalty.
    mutating func chooseMask() {
        var best: (mask: Int, points: Int)?
        for mask in 0..<8 {
            apply(mask: mask)
            drawFormat(mask: mask)
            let points = penalty
            if best.map({ points < $0.points }) ?? true { best = (mask, points) }
            apply(mask: mask)
        }
        let mask = best?.mask ?? 0
        apply(mask: mask)
        drawFormat(mask: mask)
    }

    /// Returns whether a mask inverts a module (table 10).
    private static func isTurned(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    /// The penalty for long runs, blocks, finder-like patterns, and an imbalance of dark and light modules (table 11).
    var penalty: Int {
        var points = 0
        for line in 0..<size {
            points += Self.linePenalty((0..<size).map { self[$0, line] })
            points += Self.linePenalty((0..<size).map { self[line, $0] })
        }
        for y in 0..<size - 1 {
            for x in 0..<size - 1 {
                let isDark = self[x, y]
                if self[x + 1, y] == isDark, self[x, y + 1] == isDark, self[x + 1, y + 1] == isDark { points += 3 }
            }
        }
        let dark = modules.count(where: \.self)
        let deviation = abs(dark * 20 - modules.count * 10)
        return points + deviation / modules.count * 10
    }

    /// The finder-like patterns: 1:1:3:1:1 with four light modules on one side.
    private static let finderLike = [
        [true, false, true, true, true, false, true, false, false, false, false],
        [false, false, false, false, true, false, true, true, true, false, true],
    ]

    private static func linePenalty(_ line: [Bool]) -> Int {
        var points = 0
        var run = 0
        for (index, isDark) in line.enumerated() {
            run = index > 0 && line[index - 1] == isDark ? run + 1 : 1
            if run == 5 { points += 3 } else if run > 5 { points += 1 }
        }
        for start in 0...line.count - 11 {
            for pattern in finderLike where line[start..<start + 11].elementsEqual(pattern) { points += 40 }
        }
        return points
    }
}

extension QRCode {
    /// Returns the symbol as SVG, dark on light in every colour scheme, with the quiet zone of four modules (§6.3.8).
    func html(label: String) -> HTML {
        let quiet = 4
        var commands = ""
        for y in 0..<size {
            for x in 0..<size where self[x, y] { commands += "M\(x + quiet) \(y + quiet)h1v1h-1z" }
        }
        var picture = HTML("rect", [.width("100%"), .height("100%"), .fill("#fff")], HTML())
        picture += HTML("path", [.path(commands), .fill("#000"), .crispEdges], HTML())
        return HTML("svg", [.role("img"), .ariaLabel(label), .viewBox(size + 2 * quiet)], picture)
    }
}
#endif
