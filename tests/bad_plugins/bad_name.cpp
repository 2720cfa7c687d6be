#include "broken_plugin.h"
#include "trace.h"

namespace {
constexpr capstan::PluginInfo kInfo{.name = "-Bad Name", .setup = SetUpNothing};
}
CAPSTAN_BROKEN_NOTE()
CAPSTAN_BROKEN_DESCRIPTOR(.info = kInfo)
