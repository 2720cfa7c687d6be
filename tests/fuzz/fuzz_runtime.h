#pragma once

#include <memory>

#include <capstan/runtime/runtime.h>

namespace capstan::fuzz {

// A runtime whose time advances only when a thread waits, and then at once. For one thread.
std::unique_ptr<Runtime> NewFuzzRuntime();

}  // namespace capstan::fuzz
