// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import LoginAccounts

/// An e-mail sender that passes each message to the standard input of a program, such as sendmail.
struct CommandMailer: EmailSender {
    let command: [String]
    let publicURL: String

    /// The maximum run time of the program.
    var deadline = Duration.seconds(30)

    /// An error without the recipient's address.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs an empty program once, so that Foundation allocates its file descriptors early.
    ///
    /// Foundation ends the process if no file descriptor is left at that moment.
    static func prepare() {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", ":"]
        try? process.run()
    }

    func send(_ message: EmailMessage) async throws {
        guard let program = command.first else { throw Failure(description: "mail.command is empty") }
        // A line break in the address would inject header fields.
        guard !message.address.unicodeScalars.contains(where: isObeyedByTerminals) else {
            throw Failure(description: "the address contains invalid characters")
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
            throw Failure(description: "mail.command cannot be started")
        }
        // If the program exits before it has read the message, its status decides. A message fits in the pipe's buffer.
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
        case let status?: throw Failure(description: "mail.command exited with status \(status)")
        case nil where Task.isCancelled:
            // The program has the whole message, and may continue without the service.
            throw Failure(description: "the service stopped before mail.command exited")
        case nil:
            // A hanging program may ignore SIGTERM.
            kill(process.processIdentifier, SIGKILL)
            throw Failure(description: "mail.command timed out")
        }
    }

    /// Returns the message with one recipient and a link.
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

            Open this link to \(what):

            \(publicURL)/\(path)?token=\(message.token)

            The link works once, until \(until). If you did not request it, ignore this message.

            """
    }
}
#endif
