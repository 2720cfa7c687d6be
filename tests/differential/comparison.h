#pragma once

#include <string>
#include <vector>

#include "call.h"
#include "memory.h"

namespace capstan::differential {

// The `value` of an answer to `call`, normalised: values that each server chooses (times, uids,
// resourceVersions, addresses, tokens, generated names and managedFields) are replaced by names.
json::Value Normalised(const json::Value& value, const Call& call, Memory& memory);

// The differences between two answers, one per line: "PATCH pods spec.nodeName: \"a\" | null".
std::vector<std::string> Differences(const Call& call, const Answer& left, Memory& left_memory,
                                     const Answer& right, Memory& right_memory);
std::vector<std::string> EventDifferences(const Call& call, const std::vector<json::Value>& left,
                                          Memory& left_memory,
                                          const std::vector<json::Value>& right,
                                          Memory& right_memory);

}  // namespace capstan::differential
