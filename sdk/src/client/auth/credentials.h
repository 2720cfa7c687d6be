#pragma once

/// The credentials of a RestConfig.

#include <memory>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

#include "client/http/credential.h"

namespace capstan::client {

/// Creates the credentials that `config` names, and checks in advance what can be checked.
Result<std::unique_ptr<Credentials>> NewCredentials(const RestConfig& config, Runtime& runtime);

}  // namespace capstan::client
