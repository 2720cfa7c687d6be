#pragma once

/// capstan why: what an object waits for.

#include <functional>
#include <memory>
#include <string>

#include <capstan/client/rest_config.h>
#include <capstan/client/transport.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

#include "capstan/options.h"

namespace capstan::tool {

/// What the command stands on, so that tests can put something else there.
struct Dependencies {
  Runtime& runtime;
  std::function<Result<std::unique_ptr<Transport>>(const RestConfig&, Runtime&)> new_transport =
      NewHttpTransport;
};

/// What to print. An error says who was asked for what.
Result<std::string> Why(const WhyOptions& options, const Dependencies& dependencies);

}  // namespace capstan::tool
