#pragma once

#include <stdlib.h>

#include <stdexcept>

namespace {

// A plugin that must be refused before it is loaded gives itself away here, and fails loudly.
struct Trace {
  Trace() {
    setenv("CAPSTAN_BAD_PLUGIN_WAS_LOADED", "yes", 1);
    throw std::runtime_error("a plugin that does not fit was loaded");
  }
};
const Trace trace;

}  // namespace
