#include "broken_plugin.h"

namespace {
constexpr capstan::PluginInfo kInfo{.name = "no-descriptor", .setup = SetUpNothing};
}
CAPSTAN_BROKEN_NOTE()
