#include "broken_plugin.h"

namespace {
constexpr capstan::PluginInfo kInfo{.name = "other-name", .setup = SetUpNothing};
}
CAPSTAN_BROKEN_NOTE()
CAPSTAN_BROKEN_DESCRIPTOR(.info = {.name = "somebody-else", .setup = SetUpNothing})
