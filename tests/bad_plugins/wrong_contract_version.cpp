#include "broken_plugin.h"
#include "trace.h"

namespace {
constexpr capstan::PluginInfo kInfo{.name = "wrong-contract-version", .setup = SetUpNothing};
}
CAPSTAN_BROKEN_NOTE(note.description.contract_version = 99)
CAPSTAN_BROKEN_DESCRIPTOR(.info = kInfo)
