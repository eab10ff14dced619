// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CCaseWatch
internal import Foundation
internal import FuzzTargets
internal import HostileInput

/// Runs every seed and every found case through its target, in an ordinary process; run it in the root of the project.
///
/// With `--seeds FOLDER` it writes the seeds for libFuzzer instead; with `--targets` it lists the targets and the
/// maximum length of their inputs; with a target and files it runs those files.
@main
struct FuzzReplay {
    /// The time limit per case: more than any input needs, even in an unoptimized build while tests run in parallel.
    private static let secondsPerCase: UInt32 = 10

    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case (nil, _): try replayAll()
        case ("--targets", 1): for target in FuzzTarget.all { print(target.name, target.maximumBytes) }
        case ("--seeds", 2): try writeSeeds(to: arguments[1])
        case (let name?, 2...):
            guard let target = FuzzTarget.all.first(where: { $0.name == name }) else { usage() }
            for path in arguments.dropFirst() { run(Array(try Data(contentsOf: URL(filePath: path))), target, path) }
            print("replayed \(arguments.count - 1) files: nothing found")
        default: usage()
        }
    }

    private static func usage() -> Never {
        print("usage: FuzzReplay [--targets | --seeds FOLDER | TARGET FILE...]")
        exit(64)
    }

    private static func replayAll() throws {
        let vectors = try TestVectorFiles()
        let began = ContinuousClock.now
        var (seeds, cases) = (0, 0)
        for target in FuzzTarget.all {
            let inputs = try target.seeds(vectors)
            for (number, input) in inputs.enumerated() { run(input, target, "\(target.name): seed \(number)") }
            let folder = "Fuzz/Cases/\(target.name)"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names.sorted() {
                let path = "\(folder)/\(name)"
                run(Array(try Data(contentsOf: URL(filePath: path))), target, path)
            }
            print("\(target.name): \(inputs.count) seeds, \(names.count) found cases")
            seeds += inputs.count
            cases += names.count
        }
        let targets = FuzzTarget.all.count
        print(
            "fuzz: \(seeds) seeds and \(cases) found cases of \(targets) targets in \((ContinuousClock.now - began).components.seconds) s"
        )
    }

    private static func run(_ input: [UInt8], _ target: FuzzTarget, _ name: String) {
        unsafe case_watch_begin(name, secondsPerCase)
        target.run(input)
        case_watch_end()
    }

    private static func writeSeeds(to folder: String) throws {
        let vectors = try TestVectorFiles()
        for target in FuzzTarget.all {
            let place = URL(filePath: folder).appending(path: target.name)
            try? FileManager.default.removeItem(at: place)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            for (number, input) in try target.seeds(vectors).enumerated() {
                try Data(input).write(to: place.appending(path: "seed-\(number)"))
            }
        }
    }
}
