#pragma once

#include <stdlib.h>

#include <stdexcept>

namespace {

// Prints and fails when the library of a plugin that must be rejected before loading is loaded.
struct Trace {
  Trace() {
    setenv("CAPSTAN_BAD_PLUGIN_WAS_LOADED", "yes", 1);
    throw std::runtime_error("a plugin that does not fit was loaded");
  }
};
const Trace trace;

}  // namespace
