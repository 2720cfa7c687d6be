#include <capstan/plugin.h>

void FunctionThatNobodyHas();

namespace {
capstan::Status Setup(capstan::PluginContext&) {
  FunctionThatNobodyHas();
  return capstan::Status::Ok();
}
}  // namespace
CAPSTAN_PLUGIN(.name = "missing-symbol", .setup = Setup);
