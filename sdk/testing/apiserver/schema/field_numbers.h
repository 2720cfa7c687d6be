#pragma once

// Which number each field has in the protobuf form of the built-in kinds, as
// k8s.io/api/*/*/generated.proto says it. Lines "PodSpec volumes=1 containers=2"; a line that
// begins with a blank goes on with the type before. "hostPath=2.1" is field 1 of the message that
// is field 2: what Go embeds has a message of its own there, and none in JSON.

#include <string_view>

namespace capstan::testing::server {

extern const std::string_view kFieldNumbers;

}  // namespace capstan::testing::server
