#include <capstan/plugin.h>

#include <stdexcept>

namespace {
capstan::Status Setup(capstan::PluginContext&) { throw std::runtime_error("out of cheese"); }
}  // namespace
CAPSTAN_PLUGIN(.name = "throwing-setup", .aliases = {"thrower", "cheese"}, .setup = Setup,
               .version = "1.2.3", .off_by_default = true,
               .concurrent_syncs_flag = "concurrent-thrower-syncs", .concurrent_syncs = 7);
