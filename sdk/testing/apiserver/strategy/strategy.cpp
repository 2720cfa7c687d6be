#include "apiserver/strategy/strategy.h"

#include "apiserver/validation/names.h"

namespace capstan::testing::server {

void Strategy::RecordUser(json::Value& /*object*/, const std::string& /*name*/,
                          const std::string& /*uid*/,
                          const std::vector<std::string>& /*groups*/) const {}

std::string Strategy::Admit(const json::Value& /*object*/, const json::Value& /*before*/,
                            std::string_view /*subresource*/) const {
  return "";
}

void Strategy::Stamp(json::Value& /*object*/, const json::Value& /*before*/,
                     std::string_view /*subresource*/, WallTime /*now*/) const {}

void Strategy::PrepareForCreate(json::Value& /*object*/) const {}

void Strategy::PrepareForUpdate(json::Value& object, const json::Value& before,
                                std::string_view /*subresource*/) const {
  KeepGeneration(object, before);
}

void Strategy::KeepGeneration(json::Value& object, const json::Value& before) {
  const json::Value& generation = before.Get("metadata", "generation");
  if (object.Get("metadata", "generation") == generation) return;
  if (generation.IsNull()) {
    object.Mutable("metadata").Erase("generation");
  } else {
    object.Mutable("metadata", "generation") = generation;
  }
}

void Strategy::Default(json::Value& /*object*/) const {}

void Strategy::Validate(const json::Value& /*object*/, FieldErrors& /*errors*/) const {}

void Strategy::ValidateUpdate(const json::Value& /*object*/, const json::Value& /*before*/,
                              std::string_view /*subresource*/, FieldErrors& /*errors*/) const {}

void Strategy::ValidateName(std::string_view name, std::string_view field,
                            FieldErrors& errors) const {
  AddFaults(FaultsOfDnsSubdomain(name), FieldPath(field), name, errors);
}

void Strategy::ValidateFirst(const json::Value& /*object*/, FieldErrors& /*errors*/) const {}

std::vector<std::string> Strategy::Warnings(const json::Value& /*object*/) const { return {}; }

std::vector<std::string> Strategy::WarningsOfUpdate(const json::Value& /*object*/,
                                                    const json::Value& /*before*/) const {
  return {};
}

std::optional<std::string> Strategy::SelectableField(const json::Value& object,
                                                     std::string_view field) const {
  if (field == "metadata.name") return object.Get("metadata", "name").AsString();
  if (field == "metadata.namespace") return object.Get("metadata", "namespace").AsString();
  return std::nullopt;
}

int64_t Strategy::DefaultGracePeriod(const json::Value& /*object*/) const { return 0; }

int64_t Strategy::GracePeriod(const json::Value& /*object*/, int64_t /*asked*/) const { return 0; }

}  // namespace capstan::testing::server
