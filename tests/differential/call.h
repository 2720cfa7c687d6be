#pragma once

#include <string>

#include "json/value.h"

namespace capstan::differential {

// One request. It is the same for both servers except for values that a server chooses. These stand
// in the target and the body as placeholders, which each side replaces by the value it has seen
// last:
//   {{rv pods/NS/NAME}}   the newest resourceVersion of an object
//   {{old pods/NS/NAME}}  its first resourceVersion
//   {{uid pods/NS/NAME}}  its uid
//   {{list pods/NS}}      the resourceVersion of the last list
//   {{continue pods/NS}}  the continue token of the last list
// A value that was never seen is "".
struct Call {
  enum class Effect { kRead, kWrite, kWatch };
  Effect effect = Effect::kRead;
  std::string method;
  std::string target;
  std::string content_type;
  std::string accept;
  std::string body;
  // When not empty, the body is the last seen version of this object with `edit` merged into it.
  std::string body_of;
  json::Value edit;
  // "pods/NS", and "pods/NS/NAME" when the call is for one object.
  std::string collection;
  std::string object;
  // Identifies the call in output and in the list of known differences: "PATCH pods/status".
  std::string title;
};

struct Answer {
  int code = 0;
  std::string content_type;
  std::string warning;
  json::Value body;
  std::string text;  // of an answer that is not JSON
};

// A JSON merge patch, RFC 7386, as far as the calls need it.
json::Value Merged(json::Value target, const json::Value& patch);

}  // namespace capstan::differential
