#include "broken_plugin.h"

namespace {
constexpr capstan::PluginInfo kInfo{.name = "no-setup"};
}
CAPSTAN_BROKEN_NOTE()
CAPSTAN_BROKEN_DESCRIPTOR(.info = kInfo)
