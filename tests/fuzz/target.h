#pragma once

#include <cstddef>
#include <cstdint>

/// One input for the parser under test: it may refuse it, and nothing else. Named as libFuzzer
/// wants it; corpus_run.cc calls it too.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
