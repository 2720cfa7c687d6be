#include "apiserver/strategy/spec_status_strategy.h"

namespace capstan::testing::server {

void SpecStatusStrategy::Keep(json::Value& object, const json::Value& before,
                              std::string_view field) {
  const json::Value* old = before.Find(field);
  if (old) {
    object.Set(field, *old);
  } else {
    object.Erase(field);
  }
}

json::Value SpecStatusStrategy::InitialStatus(const json::Value& /*object*/) const {
  return json::Value::Object();
}

bool SpecStatusStrategy::ChangesGeneration(const json::Value& object,
                                           const json::Value& before) const {
  return !(object.Get("spec") == before.Get("spec"));
}

void SpecStatusStrategy::KeepMetadata(json::Value& /*object*/,
                                      const json::Value& /*before*/) const {}

void SpecStatusStrategy::PrepareForCreate(json::Value& object) const {
  // The following steps use the object in its stored form.
  Default(object);
  object.Set("status", InitialStatus(object));
  if (CountsGenerations()) object.Mutable("metadata", "generation") = 1;
}

void SpecStatusStrategy::PrepareForUpdate(json::Value& object, const json::Value& before,
                                          std::string_view subresource) const {
  KeepGeneration(object, before);
  if (subresource == "status") {
    Keep(object, before, "spec");
    KeepMetadata(object, before);
    return;
  }
  Keep(object, before, "status");
  // An omitted field with its default value is not a change.
  Default(object);
  if (CountsGenerations() && ChangesGeneration(object, before)) {
    object.Mutable("metadata", "generation") = before.Get("metadata", "generation").AsInteger() + 1;
  }
}

}  // namespace capstan::testing::server
