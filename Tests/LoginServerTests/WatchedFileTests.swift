// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Configuration
import Foundation
import InMemoryLogging
import Logging
import LoginTesting
import Testing
import Tweaks

@testable import LoginServer

/// The configuration file: its readings, and the versions that are applied while the service runs.
@Suite struct WatchedFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "watched-\(UUID().uuidString)")
    private let handler = InMemoryLogHandler()

    private var path: String { folder.appending(path: "serve.yaml").path }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    private func write(_ content: String) throws { try Data(content.utf8).write(to: URL(filePath: path)) }

    private func remove() { try? FileManager.default.removeItem(at: folder) }

    @Test func `a change counts once two readings agree, and a file that has changed back is no change`() {
        func bytes(_ text: String) -> WatchedFile.Reading { .bytes(Array(text.utf8)) }
        var readings = FileReadings(bytes("a"))
        #expect(readings.add(bytes("a")) == .unchanged)
        #expect(readings.add(bytes("b")) == .readAgain)
        #expect(readings.add(bytes("bc")) == .readAgain)
        #expect(readings.add(bytes("bc")) == .settled)
        #expect(readings.add(bytes("bc")) == .unchanged)
        #expect(readings.add(bytes("d")) == .readAgain)
        #expect(readings.add(bytes("bc")) == .unchanged)
        #expect(readings.add(bytes("d")) == .readAgain)
        #expect(readings.add(.fault("missing")) == .readAgain)
        #expect(readings.add(.fault("missing")) == .settled)
    }

    @Test(
        arguments: [
            (["listen", "guests"], [:], ["listen", "guests"], [:], nil),
            (["guests"], [:], ["listen", "guests"], [:], nil),
            (["listen", "guests"], [:], ["guests"], [:], "listen is missing"),
            (["providers", "provider.a.issuer"], [:], ["providers"], [:], "provider.a.issuer is missing"),
            (["log-level"], ["log.level": "debug"], [], [:], "log-level or tweaks.log.level is missing, and was debug"),
            (["log-level"], ["log.level": "debug"], ["tweaks.log.level"], ["log.level": "info"], nil),
            ([], ["providers.a.enabled": "false"], [], [:], "tweaks.providers.a.enabled is missing, and was false"),
            ([], ["providers.a.enabled": "false"], [], ["providers.a.enabled": "true"], nil),
            ([], ["providers.a.enabled": "true"], [], [:], "tweaks.providers.a.enabled is missing, and was true"),
            ([], ["tokens.times.leeway": "60"], [], [:], "tweaks.tokens.times.leeway is missing, and was 60"),
            ([], ["tokens.times.leeway": "60"], [], ["tokens.times.leeway": "30"], nil),
            ([], [:], [], ["tokens.times.leeway": "60"], nil),
        ] as [(Set<String>, [String: String], Set<String>, [String: String], String?)]
    )
    func `a later version that lacks a fixed key or a tweak that had a value is refused`(
        _ names: Set<String>,
        _ tweaks: [String: String],
        _ laterNames: Set<String>,
        _ laterTweaks: [String: String],
        _ words: String?
    ) {
        let refusal = AppliedFile(names: names, tweaks: tweaks).refusal(of: laterNames, laterTweaks)
        #expect((refusal == nil) == (words == nil))
        if let words { #expect(refusal?.description.hasPrefix(words) == true, "\(refusal?.description ?? "")") }
    }

    private static let alpha = """
        providers: [alpha]
        provider: { alpha: { issuer: "http://127.0.0.1:1", client-id: x, allow-loopback-http: true } }

        """

    /// Starts a service with the file.
    private func start(_ content: String, _ clock: ManualContinuousClock = ManualContinuousClock()) async throws
        -> (parts: ServiceParts, follower: ConfigurationFollower)
    {
        try write(content)
        let file = try WatchedFile(path)
        let reader = ConfigurationFileReader(flags: ["store": folder.path + "/new/a"], environment: ["HOME": "/h"])
        var configuration = try reader.configuration(file.content)
        let tweaks = try ServiceLauncher.tweaks(of: configuration.switches)
        try reader.readTweaks(tweaks, in: file.content, into: &configuration)
        let handler = handler
        let parts = try await ServiceParts(
            configuration,
            version: "1",
            metrics: PrometheusMetrics(),
            logger: Logger(label: "test") { _ in handler },
            logLevel: LogLevel(.info),
            isTrial: true
        )
        return (parts, ConfigurationFollower(parts, file, reader, clock: clock))
    }

    /// Checks the file, and changes it between each two readings.
    private func check(
        _ follower: inout ConfigurationFollower,
        _ clock: ManualContinuousClock,
        isAsked: Bool = false,
        changing contents: [String?] = [],
        readings: Int
    ) async throws {
        let now = follower
        let check = Task {
            var follower = now
            await follower.check(isAsked: isAsked)
            return follower
        }
        for reading in 1..<readings {
            try await clock.waitForSleepers(1)
            if contents.count >= reading, let content = contents[reading - 1] { try write(content) }
            clock.advance(by: FileReadings.interval)
        }
        follower = await check.value
        #expect(clock.sleeperCount == 0)
    }

    private var lines: [String] {
        handler.entries.compactMap { entry in
            let text = "\(entry.message)"
            guard text.contains("configuration") else { return nil }
            return entry.metadata["configuration.reason"].map { "\(text): \($0)" } ?? text
        }
    }

    @Test func `a file that is being written is applied once it is complete, and its beginning never is`() async throws
    {
        defer { remove() }
        let clock = ManualContinuousClock()
        let limit = "tweaks: { limits.requests.per-network-and-minute: "
        let started = try await start("\(limit)600 }\n", clock)
        let parts = started.parts
        var follower = started.follower
        #expect(parts.settings.limits.requests.value == 600)
        try await check(&follower, clock, readings: 1)
        try write("\(limit)1 }\n")
        try await check(&follower, clock, changing: ["\(limit)10 }\n", "\(limit)100 }\n"], readings: 4)
        #expect(parts.settings.limits.requests.value == 100 && lines.isEmpty)
    }

    @Test func `a version without the line that disables a provider does not enable it, until it says so`() async throws
    {
        defer { remove() }
        let clock = ManualContinuousClock()
        let off = "tweaks: { providers.alpha.enabled: false }\n"
        let started = try await start(Self.alpha + off, clock)
        let parts = started.parts
        var follower = started.follower
        #expect(!parts.settings.isEnabled("alpha"))
        for content in ["guests: true\n", Self.alpha, "providers: []\n", Self.alpha + "log-level: debug\n"] {
            try write(content)
            try await check(&follower, clock, readings: 2)
            #expect(!parts.settings.isEnabled("alpha") && parts.settings.logLevel.value == "info", "\(content)")
        }
        #expect(lines.count == 4 && lines.allSatisfy { $0.contains(" is missing") })
        #expect(lines[0].contains("provider.alpha.allow-loopback-http is missing; the file may be incomplete"))
        #expect(lines[3].contains("tweaks.providers.alpha.enabled is missing, and was false; the file may"))
        try write(Self.alpha + off.replacing("false", with: "true"))
        try await check(&follower, clock, readings: 2)
        #expect(parts.settings.isEnabled("alpha") && lines.count == 4)
    }

    @Test func `a key that needs a restart is logged, and the tweaks beside it are applied`() async throws {
        defer { remove() }
        let clock = ManualContinuousClock()
        let started = try await start("log-level: info\n", clock)
        let parts = started.parts
        var follower = started.follower
        try write("log-level: debug\nguests: true\n")
        try await check(&follower, clock, readings: 2)
        #expect(parts.settings.logLevel.value == "debug" && lines == ["configuration changes need a restart"])
    }

    @Test func `a missing or invalid file is logged once, again on request, and again after it was valid`()
        async throws
    {
        defer { remove() }
        let clock = ManualContinuousClock()
        var follower = try await start("listen: 127.0.0.1:1\n", clock).follower
        try await check(&follower, clock, isAsked: true, readings: 1)
        #expect(lines.isEmpty)
        try FileManager.default.removeItem(atPath: path)
        try await check(&follower, clock, readings: 2)
        try await check(&follower, clock, readings: 1)
        #expect(lines.count == 1 && lines[0].contains("cannot read"))
        #expect(lines[0].hasPrefix("invalid configuration; the previous one stays in effect"))
        try await check(&follower, clock, isAsked: true, readings: 1)
        #expect(lines.count == 2)
        try write("listn: 127.0.0.1:1\n")
        try await check(&follower, clock, readings: 2)
        #expect(lines.count == 3 && lines[2].contains("did you mean listen?"))
        try write("listen: 127.0.0.1:1\n")
        try await check(&follower, clock, readings: 2)
        #expect(lines.count == 3)
        try FileManager.default.removeItem(atPath: path)
        // A directory can be opened, but not read.
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try await check(&follower, clock, readings: 2)
        #expect(lines.count == 4)
    }

    @Test func `a pipe in the place of the file is refused without blocking, and a link to a file is read`()
        async throws
    {
        defer { remove() }
        let clock = ManualContinuousClock()
        var follower = try await start("listen: 127.0.0.1:1\n", clock).follower
        let away = folder.appending(path: "away").path
        try FileManager.default.moveItem(atPath: path, toPath: away)
        #expect(unsafe mkfifo(path, 0o600) == 0)
        try await check(&follower, clock, readings: 2)
        #expect(lines.count == 1 && lines[0].contains("is not a regular file"))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: away)
        try await check(&follower, clock, readings: 2)
        #expect(lines.count == 1)
    }

    @Test(arguments: [0o664, 0o646])
    func `a file that others can write is refused at startup, and later not applied`(mode: Int) async throws {
        defer { remove() }
        let clock = ManualContinuousClock()
        let limit = "tweaks: { limits.requests.per-network-and-minute: "
        let started = try await start("\(limit)600 }\n", clock)
        var follower = started.follower
        try write("\(limit)1 }\n")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        try await check(&follower, clock, readings: 2)
        #expect(started.parts.settings.limits.requests.value == 600)
        #expect(lines.count == 1 && lines[0].contains("can be written by others than its owner"))
        let fault = #expect(throws: ConfigurationFault.self) { _ = try WatchedFile(path) }
        #expect(fault?.description.contains("can be written by others than its owner") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try await check(&follower, clock, readings: 2)
        #expect(started.parts.settings.limits.requests.value == 1)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
    func `a file of another user is refused`() throws {
        defer { remove() }
        try write("listen: 127.0.0.1:1\n")
        #expect(unsafe chown(path, 65_534, gid_t.max) == 0)
        let fault = #expect(throws: ConfigurationFault.self) { _ = try WatchedFile(path) }
        #expect(fault?.description.contains("belongs to another user") == true)
    }

    // Everybody can write to the first two, which says nothing about what is read from them.
    @Test(arguments: [("/dev/null", "is a device"), ("/dev/zero", "is a device"), ("/tmp", "is a directory")])
    func `a device or a directory is refused as what it is, whatever its mode`(_ path: String, _ words: String) {
        defer { remove() }
        let fault = #expect(throws: ConfigurationFault.self) { _ = try WatchedFile(path) }
        #expect(fault?.description == "\(path) \(words), not a regular file")
    }

    @Test func `the end of a pipe is read at startup`() throws {
        defer { remove() }
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("listen: 127.0.0.1:1\n".utf8))
        try pipe.fileHandleForWriting.close()
        #expect(try WatchedFile("/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)").content.names == ["listen"])
    }

    @Test func `a file that is missing for the moment of a rename changes nothing`() async throws {
        defer { remove() }
        let clock = ManualContinuousClock()
        let content = "listen: 127.0.0.1:1\n"
        var follower = try await start(content, clock).follower
        try FileManager.default.removeItem(atPath: path)
        try await check(&follower, clock, changing: [content], readings: 2)
        #expect(lines.isEmpty)
    }

    @Test(arguments: ["listn: x\n", nil])
    func `a file that is invalid or missing at startup is refused`(_ content: String?) throws {
        defer { remove() }
        if let content { try write(content) }
        let fault = #expect(throws: ConfigurationFault.self) { _ = try WatchedFile(path) }
        #expect(fault?.description.contains(path) == true)
    }
}
#endif
