// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
internal import Testing

/// The owner and the mode that a file may have.
@Suite struct CheckedFileTests {
    private func fault(owner: UInt32, mode: UInt32 = 0o600, user: UInt32, _ access: CheckedFile.Access)
        -> CheckedFile.Fault?
    {
        CheckedFile.accessFault(owner: owner, mode: mode, user: user, access)
    }

    @Test(arguments: [0, 1000, 65_534] as [UInt32])
    func `a file of the user of the process is accepted, whoever the user is`(user: UInt32) {
        #expect(fault(owner: user, user: user, .none) == nil)
        #expect(fault(owner: user, user: user, .reading) == nil)
    }

    @Test(arguments: [(1001, 1000), (65_534, 1000), (1000, 0)] as [(UInt32, UInt32)])
    func `a file of another user is refused, also to root`(owner: UInt32, user: UInt32) {
        #expect(fault(owner: owner, user: user, .none) == .ofOtherUser)
        #expect(fault(owner: owner, user: user, .reading) == .ofOtherUser)
    }

    @Test func `a file of root is accepted only where others may read`() {
        #expect(fault(owner: 0, user: 1000, .reading) == nil)
        #expect(fault(owner: 0, user: 1000, .none) == .ofOtherUser)
    }

    // With the bits for the kind of file, as the system returns them.
    @Test(arguments: [0o600, 0o400, 0o700, 0o100600] as [UInt32])
    func `a file to which nobody else has access is accepted`(mode: UInt32) {
        #expect(fault(owner: 7, mode: mode, user: 7, .none) == nil)
        #expect(fault(owner: 7, mode: mode, user: 7, .reading) == nil)
    }

    @Test(arguments: [0o640, 0o604, 0o644, 0o755, 0o610, 0o601] as [UInt32])
    func `a file that others can read or run is refused only where they may not`(mode: UInt32) {
        #expect(fault(owner: 7, mode: mode, user: 7, .none) == .openToOthers(.none))
        #expect(fault(owner: 7, mode: mode, user: 7, .reading) == nil)
    }

    @Test(arguments: [0o620, 0o602, 0o666, 0o100664] as [UInt32])
    func `a file that others can write is always refused`(mode: UInt32) {
        #expect(fault(owner: 7, mode: mode, user: 7, .none) == .openToOthers(.none))
        #expect(fault(owner: 7, mode: mode, user: 7, .reading) == .openToOthers(.reading))
        #expect(fault(owner: 0, mode: mode, user: 7, .reading) == .openToOthers(.reading))
    }

    @Test func `a refused mode is reported with the mode to set`() {
        #expect(CheckedFile.Fault.openToOthers(.none).description.hasSuffix("set its mode to 0600"))
        #expect(CheckedFile.Fault.openToOthers(.reading).description.hasSuffix("set its mode to 0644"))
    }
}
