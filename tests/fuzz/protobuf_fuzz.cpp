// Input: a body in application/vnd.kubernetes.protobuf.

#include <string>
#include <vector>

#include "apiserver/codec/decoding.h"
#include "apiserver/codec/protobuf_body.h"
#include "apiserver/schema/schema.h"
#include "fuzz_target.h"
#include "json/value.h"

CAPSTAN_FUZZ_TARGET(protobuf) {
  using namespace capstan;
  using namespace capstan::testing::server;
  const auto text = JsonOfProtobuf(input);
  if (!text.ok()) {
    fuzz::Require(text.status().http_code() == 400, "what cannot be read is a bad request");
    return;
  }
  if (!*text) return;
  std::vector<std::string> duplicates;
  const auto parsed = ParseBody(**text, "application/json", duplicates);
  // Raw JSON in the body may have the maximum depth, and is then nested too deeply inside the
  // object.
  const bool deep = parsed.status().message().find("nested too deeply") != std::string::npos;
  if (deep) return;
  fuzz::Require(parsed.ok() && parsed->IsObject(), "what was read is an object in JSON");
  fuzz::Require(duplicates.empty(), "no field is written twice");
  fuzz::Require(json::ToJson(*parsed) == **text, "an object has one text");
  const ObjectType* type = SchemaSet::BuiltIn().Find(parsed->Get("apiVersion").AsString() + "." +
                                                     parsed->Get("kind").AsString());
  if (!type) return;
  // A number or a time may still be out of range for the API.
  const auto conformed = Conform(*parsed, *type, FieldValidation::kStrict);
  if (conformed.ok()) return;
  fuzz::Require(conformed.status().http_code() == 400, "a wrong value is a bad request");
  fuzz::Require(conformed.status().message().find("unknown field") == std::string::npos,
                "only fields that there are are read");
}
