#pragma once

/// capstan why: explains what an object is waiting for.

#include <functional>
#include <memory>
#include <string>

#include <capstan/client/rest_config.h>
#include <capstan/client/transport.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

#include "capstan/options.h"

namespace capstan::tool {

/// Dependencies of the command, which tests can replace.
struct Dependencies {
  Runtime& runtime;
  std::function<Result<std::unique_ptr<Transport>>(const RestConfig&, Runtime&)> new_transport =
      NewHttpTransport;
};

/// Returns the text to print. An error names the server and the request.
Result<std::string> Why(const WhyOptions& options, const Dependencies& dependencies);

}  // namespace capstan::tool
