#pragma once

/// Marks what libcapstan gives to the manager and to plugins. Everything else is built with hidden
/// visibility, so that nothing of the library's inside can be bound to, or duplicated, by accident.
#define CAPSTAN_EXPORT __attribute__((visibility("default")))
