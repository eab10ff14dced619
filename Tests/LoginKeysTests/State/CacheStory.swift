// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import LoginTokens
import Testing

@testable import LoginKeys

/// The keys of these tests, each named by one letter.
enum Letters {
    static let keys: [String: TestKey] = Dictionary(
        uniqueKeysWithValues: ["a", "b", "c"].map { ($0, TestKey(.es256)) }
    )

    /// Returns a key set with each key under its letter; `!` stands for an unusable key.
    static func keySet(_ letters: String) -> JSONWebKeySet {
        let members = letters.map { letter -> TestJSON in
            if letter == "!" { return ["kty": "RSA", "kid": "!"] }
            var json = keys[String(letter)]?.json ?? [:]
            json["kid"] = .string(String(letter))
            return json
        }
        let json: TestJSON = ["keys": .array(members)]
        return (try? JSONWebKeySet(json: json.text)) ?? JSONWebKeySet([])
    }

    static func fetched(_ letters: String, lifetime: Duration?, wasDiscovered: Bool = false) throws -> FetchedKeySet {
        FetchedKeySet(
            keys: keySet(letters),
            document: [],
            lifetime: lifetime,
            url: try EndpointURL("https://issuer.example/keys"),
            wasDiscovered: wasDiscovered
        )
    }
}

/// The wait that a verification has ended; `look` is the last refresh for which one had to wait.
enum Waited: Sendable {
    case anyFetch, look, limit
}

/// A step in the life of a cache, with the expected result; times are in seconds.
enum Move: Sendable {
    /// A call asks whether it must start a background task.
    case starts(Double, Bool)
    /// The worker asks for its next step, and must load the stored keys.
    case restores(Double)
    /// The worker asks for its next step, and must fetch.
    case fetches(Double)
    /// The worker asks for its next step, and must sleep until then.
    case sleeps(Double, until: Double)
    /// The background task asks for its next step, and must end.
    case ends(Double)
    /// The current fetch returns these keys.
    case brings(Double, String, lifetime: Double? = nil)
    /// The current fetch fails.
    case fails(Double)
    /// A verification asks for keys, perhaps after a wait, and gets these.
    case has(Double, String, after: Waited? = nil)
    /// A verification asks for keys, perhaps after a wait, and must wait.
    case waits(Double, after: Waited? = nil)
    /// A verification asks for keys, perhaps after a wait, and gets none.
    case lacks(Double, after: Waited? = nil)
    /// A verification looks for a key, and gets these keys.
    case finds(Double, String?, among: String, after: Waited? = nil)
    /// A verification looks for a key, and must wait for a refresh.
    case looks(Double, String?, Waited, after: Waited? = nil)
    /// A verification looks for a key, and learns when it can be looked up.
    case postpones(Double, String, until: Double)
    /// A verification looks for a key, and learns that its existence is unknown.
    case wonders(Double, String?, after: Waited? = nil)
    /// The events since the previous step of this kind.
    case told([String])
    /// An abandoned fetch returns these keys after all.
    case bringsLate(Double, String)
    /// The service begins, and is the worker from now on.
    case begins
    /// The service ends.
    case stops
}

/// Runs a cache's state through steps, and compares the results.
struct CacheStory {
    var state: KeyCacheState
    /// The worker that asks for steps.
    var worker: KeyCacheState.Worker
    private var fetch: KeyCacheState.Fetch?
    private var givenUp: KeyCacheState.Fetch?
    private var events: [String] = []
    private var look = 0

    /// - Parameters:
    ///   - configuration: The configuration of the cache.
    ///   - worker: The worker that asks for steps; the service begins at once.
    ///   - isRestored: Whether the stored keys, of which there are none, have been loaded.
    init(
        _ configuration: KeyCacheConfiguration = KeyCacheConfiguration(),
        worker: KeyCacheState.Worker = .service,
        isRestored: Bool = true
    ) {
        state = KeyCacheState(provider: .openID(issuers: ["https://issuer.example"]), configuration: configuration)
        self.worker = worker
        if worker == .service { state.beginService() }
        if isRestored { state.endRestoring() }
    }

    mutating func tell(_ moves: [Move]) throws {
        for (number, move) in moves.enumerated() {
            try make(move, "move \(number): \(move)")
        }
    }

    private mutating func make(_ move: Move, _ comment: Comment) throws {
        switch move {
        case .starts(let time, let expected):
            let starts = state.startBackgroundTask(at: .seconds(time))
            #expect(starts == expected, comment)
        case .restores(let time): #expect(step(at: time) == .restore, comment)
        case .ends(let time): #expect(step(at: time) == .end, comment)
        case .fetches(let time):
            let step = step(at: time)
            guard case .fetch(let next) = step else {
                Issue.record("it was to fetch, and does \(step): \(comment)")
                return
            }
            if let fetch { givenUp = fetch }
            fetch = next
        case .sleeps(let time, let until):
            let step = step(at: time)
            guard case .sleep(let end) = step else {
                Issue.record("it was to sleep, and does \(step): \(comment)")
                return
            }
            // A product of floating-point numbers is inexact.
            #expect(abs((end - .seconds(until)) / .seconds(1)) < 1e-6, comment)
        case .brings(let time, let letters, let lifetime):
            let fetched = try Letters.fetched(letters, lifetime: lifetime.map { .seconds($0) })
            note(try #require(end(with: .success(fetched), at: time), comment))
        case .fails(let time):
            let failure = KeyFetchFailure(TransportFailure(.connection, "refused"), of: .keySet)
            note(try #require(end(with: .failure(failure), at: time), comment))
        case .bringsLate(let time, let letters):
            let late = try #require(givenUp, comment)
            let fetched = try Letters.fetched(letters, lifetime: nil)
            #expect(state.end(late, with: .success(fetched), at: .seconds(time), jitter: 0) == nil, comment)
        case .told(let expected):
            #expect(events == expected, comment)
            events = []
        case .begins:
            state.beginService()
            worker = .service
        case .stops:
            state.endService()
            worker = .backgroundTask
        default:
            ask(move, comment)
        }
    }

    private mutating func step(at time: Double) -> KeyCacheState.Step {
        let (step, events) = state.nextStep(for: worker, at: .seconds(time), jitter: 0)
        note(events)
        return step
    }

    private mutating func ask(_ move: Move, _ comment: Comment) {
        switch move {
        case .has(let time, let letters, let waited):
            expect(state.instruction(at: .seconds(time), after: told(waited)), keys: letters, comment)
        case .waits(let time, let waited):
            expect(state.instruction(at: .seconds(time), after: told(waited)), wait: .anyFetch, comment)
        case .lacks(let time, let waited):
            expectUnavailable(state.instruction(at: .seconds(time), after: told(waited)), comment)
        case .finds(let time, let keyID, let letters, let waited):
            expect(
                state.instruction(lookingFor: keyID, at: .seconds(time), after: told(waited)),
                keys: letters,
                comment
            )
        case .looks(let time, let keyID, let wait, let waited):
            expect(state.instruction(lookingFor: keyID, at: .seconds(time), after: told(waited)), wait: wait, comment)
        case .wonders(let time, let keyID, let waited):
            expectUnavailable(state.instruction(lookingFor: keyID, at: .seconds(time), after: told(waited)), comment)
        case .postpones(let time, let keyID, let until):
            expectUnavailable(
                state.instruction(lookingFor: keyID, at: .seconds(time)),
                retryAfter: .seconds(until) - .seconds(time),
                comment
            )
        default:
            Issue.record("no move that asks: \(comment)")
        }
    }

    private mutating func end(
        with result: Result<FetchedKeySet, KeyFetchFailure>,
        at time: Double
    ) -> [KeyCacheEvent]? {
        guard let fetch else { return nil }
        self.fetch = nil
        return state.end(fetch, with: result, at: .seconds(time), jitter: 0)
    }

    private mutating func note(_ new: [KeyCacheEvent]) {
        for event in new where event.kind != .inUse {
            events.append(event.keyID.map { "\(event.kind) \($0)" } ?? "\(event.kind)")
        }
    }

    private func expect(_ instruction: KeyCacheState.Instruction, keys letters: String, _ comment: Comment) {
        guard case .keys(let snapshot) = instruction else {
            Issue.record("there were to be keys, and it is \(instruction): \(comment)")
            return
        }
        let named = snapshot.keys(of: "https://issuer.example")?.keys.compactMap(\.keyID).joined()
        #expect(named == letters.filter { $0 != "!" }, comment)
    }

    private func told(_ waited: Waited?) -> KeyCacheState.Wait? {
        waited.map { waited in
            switch waited {
            case .anyFetch: .anyFetch
            case .look: .lookup(look)
            case .limit: .limit
            }
        }
    }

    private mutating func expect(_ instruction: KeyCacheState.Instruction, wait: Waited, _ comment: Comment) {
        switch (instruction, wait) {
        case (.wait(.anyFetch), .anyFetch): break
        case (.wait(.lookup(let number)), .look): look = number
        default: Issue.record("it was to wait, and is told \(instruction): \(comment)")
        }
    }

    private func expectUnavailable(
        _ instruction: KeyCacheState.Instruction,
        retryAfter: Duration? = nil,
        _ comment: Comment
    ) {
        guard case .unavailable(let reason) = instruction else {
            Issue.record("nothing was to be had, and it is \(instruction): \(comment)")
            return
        }
        #expect(reason.code == .keysUnavailable, comment)
        #expect((reason.retryAfter == nil) == (retryAfter == nil), comment)
        // A product of floating-point numbers is inexact.
        let difference = (reason.retryAfter ?? .zero) - (retryAfter ?? .zero)
        #expect(abs(difference / .seconds(1)) < 1e-6, comment)
    }
}
