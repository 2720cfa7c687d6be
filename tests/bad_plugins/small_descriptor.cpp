#include "broken_plugin.h"

namespace {
constexpr capstan::PluginInfo kInfo{.name = "small-descriptor", .setup = SetUpNothing};
}
CAPSTAN_BROKEN_NOTE()
CAPSTAN_BROKEN_DESCRIPTOR(.size = 8, .info = kInfo)
