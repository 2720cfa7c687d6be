#pragma once

// The credentials that a RestConfig names.

#include <memory>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

#include "client/http/credential.h"

namespace capstan::client {

// The credentials that `config` names. What can be checked beforehand is.
Result<std::unique_ptr<Credentials>> NewCredentials(const RestConfig& config, Runtime& runtime);

}  // namespace capstan::client
