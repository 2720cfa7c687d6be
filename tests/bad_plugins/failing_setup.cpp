#include <capstan/plugin.h>

namespace {
capstan::Status Setup(capstan::PluginContext&) {
  return capstan::Status::InvalidArgument("the moon is in the wrong phase");
}
}  // namespace
CAPSTAN_PLUGIN(.name = "failing-setup", .setup = Setup);
