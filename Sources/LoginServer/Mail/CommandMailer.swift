// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import LoginAccounts

/// Sends mail by a program that reads it from its standard input, as sendmail does.
struct CommandMailer: EmailSender {
    let command: [String]
    let publicURL: String

    /// How long the program may take.
    var deadline = Duration.seconds(30)

    /// Why a mail was not sent; without the address.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Has Foundation make what it needs to run programs, once: where no file descriptor is left for that, it ends the process.
    static func prepare() {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", ":"]
        try? process.run()
    }

    func send(_ message: EmailMessage) async throws {
        guard let program = command.first else { throw Failure(description: "no program is named") }
        // Nobody writes a line of the head but us.
        guard !message.address.unicodeScalars.contains(where: isObeyedByTerminals) else {
            throw Failure(description: "the address has characters that no address has")
        }
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = Array(command.dropFirst())
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        let input = Pipe()
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { end.yield($0.terminationStatus) }
        do {
            try process.run()
        } catch {
            throw Failure(description: "the program of mail.command cannot be run")
        }
        // Whoever ends before it has read all says by its status what that means. A message fits into a pipe.
        try? input.fileHandleForWriting.write(contentsOf: Data(text(of: message).utf8))
        try? input.fileHandleForWriting.close()
        let status = await withTaskGroup(of: Int32?.self) { group in
            group.addTask { await ends.first { _ in true } }
            group.addTask {
                try? await Task.sleep(for: deadline)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        switch status {
        case 0?: return
        case let status?: throw Failure(description: "the program of mail.command ended with \(status)")
        case nil where Task.isCancelled:
            // It has the whole message, and may go on without us.
            throw Failure(description: "the service ended before the program of mail.command did")
        case nil:
            // Not asked to: what hangs for so long would not hear that either.
            kill(process.processIdentifier, SIGKILL)
            throw Failure(description: "the program of mail.command did not end in its time")
        }
    }

    /// The mail: one address in its head, and a link that the receiver opens.
    func text(of message: EmailMessage) -> String {
        let (subject, path, what) =
            switch message.kind {
            case .verifyEmail: ("Confirm your address", "verify-email", "confirm that this address is yours")
            case .resetPassword: ("Choose a new password", "new-password", "choose a new password")
            }
        let until = message.expiresAt.formatted(Date.ISO8601FormatStyle())
        return """
            To: \(message.address)
            Subject: \(subject)
            MIME-Version: 1.0
            Content-Type: text/plain; charset=utf-8
            Auto-Submitted: auto-generated

            Open this address to \(what):

            \(publicURL)/\(path)?token=\(message.token)

            It works once, until \(until). If you did not ask for it, do nothing.

            """
    }
}
#endif
