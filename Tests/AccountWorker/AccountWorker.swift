// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginAccounts

/// Works on accounts as a server would, for tests that need a separate process: to kill it, or to run it for long.
///
///     AccountWorker work  STORE JOURNAL [CLIENTS]          signs in, links, merges … until it is killed
///     AccountWorker check STORE JOURNAL                    is every acknowledged change there, and every invariant
///     true?
///     AccountWorker soak  STORE SECONDS CLIENTS            the same work for a while, with times and memory
///     AccountWorker load  STORE ACCOUNTS                   sign-ins and session checks among many accounts
///     AccountWorker mixed STORE SECONDS CLIENTS ACCOUNTS   soak on such a store, also by users of its accounts
///
/// STORE is `sqlite:PATH` or `postgresql:SCHEMA CONNECTION`. Exits with 0 on success, 1 if a check fails, 64 if the
/// arguments are wrong.
@main
struct AccountWorker {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 3 else { end("usage: AccountWorker work|check|soak|load|mixed STORE …", 64) }
        let place = try await Workplace(store: arguments[1])
        switch arguments[0] {
        case "work":
            let journal = try Journal(writingTo: arguments[2])
            try await work(place, journal, clients: arguments.count > 3 ? Int(arguments[3]) ?? 4 : 4)
        case "check":
            let problems = try await JournalCheck(place, Journal.read(arguments[2])).problems()
            for problem in problems { print(problem) }
            print("acknowledged changes checked, \(problems.count) problems")
            exit(problems.isEmpty ? 0 : 1)
        case "soak", "mixed":
            let isMixed = arguments[0] == "mixed"
            let numbers = arguments.dropFirst(3).map { Int($0) ?? 0 }
            guard let seconds = Double(arguments[2]), numbers.count == (isMixed ? 2 : 1), numbers.allSatisfy({ $0 > 0 })
            else { end("usage: AccountWorker soak STORE SECONDS CLIENTS | mixed STORE SECONDS CLIENTS ACCOUNTS", 64) }
            let accounts = isMixed ? numbers[1] : nil
            let soak = Soak(place, clients: numbers[0], duration: .seconds(seconds), among: accounts)
            exit(try await soak.run() ? 0 : 1)
        case "load":
            guard let accounts = Int(arguments[2]), Load.counts.contains(accounts) else {
                end("usage: AccountWorker load STORE ACCOUNTS (\(Load.counts))", 64)
            }
            try await Load(place, accounts: accounts).run()
        default:
            end("AccountWorker: there is no \(arguments[0])", 64)
        }
    }

    /// Works until it is killed or its parent process has exited: each client on its own users.
    private static func work(_ place: Workplace, _ journal: Journal, clients: Int) async throws {
        let parent = getppid()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<clients {
                group.addTask {
                    var client = Client(place, journal, name: "\(ProcessInfo.processInfo.processIdentifier)-\(number)")
                    while getppid() == parent { try await client.liveOnce() }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func end(_ message: String, _ status: Int32) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(status)
    }
}
