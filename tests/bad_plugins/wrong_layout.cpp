#include "broken_plugin.h"
#include "trace.h"

namespace {
constexpr capstan::PluginInfo kInfo{.name = "wrong-layout", .setup = SetUpNothing};
}
CAPSTAN_BROKEN_NOTE(note.description.layout[0] = 0; note.description.layout[1] = 815)
CAPSTAN_BROKEN_DESCRIPTOR(.info = kInfo)
