#pragma once

#include <string>

#include "json/value.h"

namespace capstan::differential {

// One request, the same for both servers but for what the servers chose themselves. Of these, which
// stand in the target and the body as placeholders, each side puts in what it has seen last:
//   {{rv pods/NS/NAME}}   the newest resourceVersion of an object      {{old ...}}  its first one
//   {{uid pods/NS/NAME}}  its uid
//   {{list pods/NS}}      the resourceVersion of the last list         {{continue pods/NS}}  its
//   token
// What was never seen is "".
struct Call {
  enum class Effect { kRead, kWrite, kWatch };
  Effect effect = Effect::kRead;
  std::string method;
  std::string target;
  std::string content_type;
  std::string accept;
  std::string body;
  // Not empty: the body is the object as it was seen last, with `edit` merged into it.
  std::string body_of;
  json::Value edit;
  // "pods/NS", and "pods/NS/NAME" where the call is about one object.
  std::string collection;
  std::string object;
  // For people and for the list of known differences: "PATCH pods/status".
  std::string title;
};

struct Answer {
  int code = 0;
  std::string content_type;
  std::string warning;
  json::Value body;
  std::string text;  // of an answer that is no JSON
};

// RFC 7386, in as far as the calls use it.
json::Value Merged(json::Value target, const json::Value& patch);

}  // namespace capstan::differential
