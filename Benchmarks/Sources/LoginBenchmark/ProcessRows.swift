// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginCase
import Measuring

/// One verification in a process of its own, compared with one by the openssl command, both reading files.
struct ProcessRows {
    private static let name = "verify-token process ÷ openssl dgst -verify process"
    private static let goal = Goal.atMost(3)

    private let ours: Program
    private let theirs: Program
    private let rounds: Int

    /// Writes the input files of both programs into a directory.
    init(_ login: LoginCase, _ options: Options) throws {
        rounds = options.rounds
        let file = { (name: String) in options.directory.appending(path: name) }
        try Data(login.token.utf8).write(to: file("token.jwt"))
        try Data(login.keySetText.utf8).write(to: file("keys.json"))
        try Data(login.signingInput).write(to: file("signing-input"))
        try Data(login.signature).write(to: file("signature"))
        try login.floor().writeKey(to: file("key.pem").path)
        ours = Program([
            options.program, "verify", file("token.jwt").path, "--provider", "facebook", "--app-id",
            login.issuer.audience,
            "--nonce", login.nonce, "--keys", file("keys.json").path,
        ])
        theirs = Program([
            "openssl", "dgst", "-sha256", "-verify", file("key.pem").path, "-signature", file("signature").path,
            file("signing-input").path,
        ])
    }

    /// Runs both programs in turn, once per round.
    func measure() -> [Row] {
        do throws(Program.Failure) {
            // The first runs load the files into the page cache.
            _ = try ours.run()
            _ = try theirs.run()
            return try measured()
        } catch {
            return [
                Row(Self.name, notMeasured: "\(error); is it built, and openssl there? `make program`", goal: Self.goal)
            ]
        }
    }

    private func measured() throws(Program.Failure) -> [Row] {
        var wall = (ours: Samples(), theirs: Samples(), ratio: Samples())
        var processor = (ours: Samples(), theirs: Samples(), ratio: Samples())
        for _ in 0..<rounds {
            let our = try ours.run()
            let their = try theirs.run()
            wall.ours.add(our.wallSeconds * 1e6)
            wall.theirs.add(their.wallSeconds * 1e6)
            wall.ratio.add(our.wallSeconds / their.wallSeconds)
            processor.ours.add(our.processorSeconds * 1e6)
            processor.theirs.add(their.processorSeconds * 1e6)
            processor.ratio.add(our.processorSeconds / their.processorSeconds)
        }
        var byWall = Row(Self.name, ratios: wall.ratio, goal: Self.goal)
        byWall.microseconds = wall.ours.median
        byWall.referenceMicroseconds = wall.theirs.median
        var byProcessor = Row("verify-token ÷ openssl process, by processor time", ratios: processor.ratio)
        byProcessor.microseconds = processor.ours.median
        byProcessor.referenceMicroseconds = processor.theirs.median
        return [byWall, byProcessor]
    }
}
