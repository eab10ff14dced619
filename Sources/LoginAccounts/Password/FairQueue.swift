// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A bounded queue that serves networks in turn, so that a busy one delays only itself.
///
/// A place is reserved with ``admit(_:)`` before a job is added. One network has at most ``placesPerNetwork`` places,
/// and the second half of the queue is left to networks that have no place yet. Waiting jobs are started in rounds:
/// each network has one job in a round, in the order of arrival. Requests of unknown origin, nil, are one network,
/// without a limit of places.
///
/// It is a value without threads or clocks.
struct FairQueue<Job> {
    /// The maximum number of places of one network: enough for users behind one address who sign in at the same moment.
    static var placesPerNetwork: Int { 8 }

    private struct Waiting {
        let job: Job
        let network: String?
        let round: Int
    }

    /// The number of jobs that run at once.
    let slots: Int

    /// The number of places, for jobs that run, that wait, and that are still to be added.
    let capacity: Int

    /// The number of jobs that were started.
    private(set) var startedJobs = 0

    private var running = 0
    private var places = 0
    private var placesByNetwork: [String?: Int] = [:]

    /// The waiting jobs, in the order of arrival.
    private var waiting: [Waiting] = []

    /// The round of the job that was started last.
    private var round = 0

    /// The last round in which a network has a job; only of networks that have a place.
    private var lastRound: [String?: Int] = [:]

    init(slots: Int, capacity: Int) {
        self.slots = slots
        self.capacity = capacity
    }

    /// Reserves a place.
    ///
    /// - Returns: Whether there is one for this network. It is released by ``leave(_:)``.
    mutating func admit(_ network: String?) -> Bool {
        let taken = placesByNetwork[network] ?? 0
        guard places < (taken == 0 ? capacity : capacity / 2) else { return false }
        guard network == nil || taken < Self.placesPerNetwork else { return false }
        places += 1
        placesByNetwork[network] = taken + 1
        return true
    }

    /// Releases a place.
    mutating func leave(_ network: String?) {
        places -= 1
        placesByNetwork[network] = placesByNetwork[network].flatMap { $0 > 1 ? $0 - 1 : nil }
        if placesByNetwork[network] == nil { lastRound[network] = nil }
    }

    /// Adds the job of a network that has a place.
    mutating func add(_ job: Job, for network: String?) {
        let next = max(round, lastRound[network] ?? 0) + 1
        lastRound[network] = next
        waiting.append(Waiting(job: job, network: network, round: next))
    }

    /// Starts the next job.
    ///
    /// - Returns: The job; nil if none waits, or all slots are in use.
    mutating func start() -> Job? {
        // `min` returns the first of equals, so jobs of one round keep the order of arrival.
        guard running < slots, let next = waiting.indices.min(by: { waiting[$0].round < waiting[$1].round }) else {
            return nil
        }
        running += 1
        startedJobs += 1
        let started = waiting.remove(at: next)
        round = started.round
        return started.job
    }

    /// Frees the slot of a job that is done, and starts the next.
    mutating func finishAndStart() -> Job? {
        running -= 1
        return start()
    }
}
