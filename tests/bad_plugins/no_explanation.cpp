#include "broken_plugin.h"

namespace {
constexpr capstan::PluginInfo kInfo{.name = "no-explanation",
                                    .setup = SetUpNothing,
                                    .explains = {{.kind = "Cheese", .resource = "cheeses"}}};
}
CAPSTAN_BROKEN_NOTE()
CAPSTAN_BROKEN_DESCRIPTOR(.info = {.name = "no-explanation", .setup = SetUpNothing})
