#include "broken_plugin.h"
#include "trace.h"

namespace {
constexpr capstan::PluginInfo kInfo{.name = "wrong-toolchain", .setup = SetUpNothing};
}
CAPSTAN_BROKEN_NOTE(note.description.toolchain.libstdcxx = 4711)
CAPSTAN_BROKEN_DESCRIPTOR(.info = kInfo)
