#include <capstan/plugin.h>

#include <stdexcept>

namespace {
capstan::Status Setup(capstan::PluginContext&) { throw std::runtime_error("out of cheese"); }
capstan::Result<capstan::Explanation> Explain(const capstan::Client&,
                                              const capstan::NamespacedName&, capstan::WallTime) {
  throw std::runtime_error("out of crackers");
}
}  // namespace
CAPSTAN_PLUGIN(.name = "throwing-setup", .aliases = {"thrower", "cheese"}, .setup = Setup,
               .version = "1.2.3", .off_by_default = true,
               .concurrent_syncs_flag = "concurrent-thrower-syncs", .concurrent_syncs = 7,
               .explains = {{.kind = "Cheese",
                             .resource = "cheeses.example.dev",
                             .short_name = "ch",
                             .explain = Explain}});
