#pragma once

/// The fields of Services that load balancers use, and their validation.

#include "apiserver/validation/field_error.h"
#include "json/value.h"

namespace capstan::testing::server {

/// Whether a load balancer needs a port that tells which nodes have endpoints.
bool NeedsHealthCheckPort(const json::Value& service);

void ValidateBalancerFields(const json::Value& service, FieldErrors& errors);
/// Rejects changes of fields that are set once.
void ValidateBalancerUpdate(const json::Value& service, const json::Value& before,
                            FieldErrors& errors);
void ValidateBalancerStatus(const json::Value& service, FieldErrors& errors);

}  // namespace capstan::testing::server
