#include "broken_plugin.h"
#include "trace.h"

namespace {
constexpr capstan::PluginInfo kInfo{.name = "damaged-note", .setup = SetUpNothing};
}
CAPSTAN_BROKEN_NOTE(for (char& c : note.description.name) c = 'x')
CAPSTAN_BROKEN_DESCRIPTOR(.info = kInfo)
