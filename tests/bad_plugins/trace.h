#pragma once

#include <stdlib.h>

#include <stdexcept>

namespace {

// Leaves a mark in the environment and throws when the library is loaded. For plugins that must be
// rejected before loading.
struct Trace {
  Trace() {
    setenv("CAPSTAN_BAD_PLUGIN_WAS_LOADED", "yes", 1);
    throw std::runtime_error("a plugin that does not fit was loaded");
  }
};
const Trace trace;

}  // namespace
