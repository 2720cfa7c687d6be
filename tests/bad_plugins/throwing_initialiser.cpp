#include <capstan/plugin.h>

#include <stdexcept>

namespace {
const int kNumber = []() -> int { throw std::runtime_error("the initialiser gives up"); }();

capstan::Status Setup(capstan::PluginContext&) {
  return kNumber == 0 ? capstan::Status::Ok() : capstan::Status::Canceled();
}
}  // namespace
CAPSTAN_PLUGIN(.name = "throwing-initialiser", .setup = Setup);
