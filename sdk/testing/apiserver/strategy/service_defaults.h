#pragma once

/// Defaults of Services, and the allocation of addresses and node ports.

#include "json/value.h"

namespace capstan::testing::server {

void DefaultService(json::Value& service);
/// Allocates addresses in 10.96.0.0/16 and node ports in 30000-32767. They are derived from the
/// Service's namespace and name, so the same Service always gets the same ones.
void AllocateAddresses(json::Value& service);
/// Restores allocated addresses and node ports that an update left out.
void KeepAllocated(json::Value& service, const json::Value& before);

/// Removes fields that belong to the former type of the Service and that the client did not change.
void DropFieldsOfOtherTypes(json::Value& service, const json::Value& before);

bool IsHeadless(const json::Value& service);
/// Whether the type is NodePort or LoadBalancer, or ClusterIP with external addresses.
bool IsExternallyAccessible(const json::Value& service);

}  // namespace capstan::testing::server
