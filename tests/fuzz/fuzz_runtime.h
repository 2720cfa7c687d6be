#pragma once

#include <memory>

#include <capstan/runtime/runtime.h>

namespace capstan::fuzz {

// Time that passes only where somebody waits for it, and then at once. For one thread.
std::unique_ptr<Runtime> NewFuzzRuntime();

}  // namespace capstan::fuzz
