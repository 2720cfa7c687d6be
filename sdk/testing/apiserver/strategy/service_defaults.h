#pragma once

// Defaults of services, and the addresses and node ports that they get.

#include "json/value.h"

namespace capstan::testing::server {

void DefaultService(json::Value& service);
// Addresses are counted out of the service's namespace and name, so that the same service always
// gets the same: 10.96.0.0/16, and node ports of 30000-32767.
void AllocateAddresses(json::Value& service);
// An update that leaves out what was allocated means to keep it.
void KeepAllocated(json::Value& service, const json::Value& before);

// What the service had by its former type, and the client left as it was.
void DropFieldsOfOtherTypes(json::Value& service, const json::Value& before);

bool IsHeadless(const json::Value& service);
// NodePort, LoadBalancer, or with external addresses.
bool IsExternallyAccessible(const json::Value& service);

}  // namespace capstan::testing::server
