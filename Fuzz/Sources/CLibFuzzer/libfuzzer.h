// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#ifndef LIBFUZZER_H
#define LIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

// libFuzzer's own mutation, for custom mutators that use it as well. https://llvm.org/docs/LibFuzzer.html
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maximum);

#endif
