// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLibFuzzer
internal import Foundation
internal import FuzzTargets

/// The target that the environment variable names.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        fatalError("FUZZ_TARGET must be one of \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
    }
    return target
}()

/// Runs one input; called by libFuzzer. https://llvm.org/docs/LibFuzzer.html
@_cdecl("LLVMFuzzerTestOneInput")
public func tryOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe target.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Changes an input in place; called by libFuzzer.
@_cdecl("LLVMFuzzerCustomMutator")
public func changeInput(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt) -> Int
{
    guard let mutate = target.mutate else { return unsafe LLVMFuzzerMutate(start, count, maximum) }
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let changed = mutate(input, UInt64(seed), plainlyChanged)
    let length = min(changed.count, maximum)
    for index in 0..<length { unsafe start[index] = changed[index] }
    return length
}

private func plainlyChanged(_ input: [UInt8], maximumBytes: Int) -> [UInt8] {
    let maximum = max(maximumBytes, input.count, 1)
    var bytes = input + [UInt8](repeating: 0, count: maximum - input.count)
    let length = unsafe LLVMFuzzerMutate(&bytes, input.count, maximum)
    return Array(bytes.prefix(length))
}
