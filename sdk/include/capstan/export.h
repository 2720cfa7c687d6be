#pragma once

/// Marks the symbols that libcapstan exports to the manager and to plugins. Every other symbol has
/// hidden visibility, so that nothing can bind to the library's internals, or duplicate them, by
/// accident.
#define CAPSTAN_EXPORT __attribute__((visibility("default")))
