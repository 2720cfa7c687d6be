// ConfigMaps, Secrets and ServiceAccounts.

#include <string>
#include <utility>
#include <vector>

#include "apiserver/strategy/strategies.h"
#include "apiserver/validation/names.h"
#include "base/text/base64.h"
#include "json/value.h"

namespace capstan::testing::server {
namespace {

constexpr int64_t kLargestData = int64_t{1024} * 1024;
// Returns the size of the decoded Base64 text, in bytes.
int64_t DecodedSize(std::string_view text) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  return static_cast<int64_t>(text.size() * 3 / 4);
}

constexpr std::string_view kImmutableText = "field is immutable when `immutable` is set";

// Validates the keys and adds the size of their values, in bytes, to `size`.
void ValidateKeys(const json::Value& data, std::string_view field, bool base64, int64_t& size,
                  FieldErrors& errors) {
  const FieldPath path(field);
  for (const json::Member& entry : data.members()) {
    AddFaults(FaultsOfConfigKey(entry.key), path.Key(entry.key), entry.key, errors);
    const std::string& value = entry.value.AsString();
    size += base64 ? DecodedSize(value) : static_cast<int64_t>(value.size());
  }
}

// Validates that `fields` of an object with `immutable: true` do not change.
void ValidateUnchanged(const json::Value& object, const json::Value& before,
                       std::initializer_list<std::string_view> fields, FieldErrors& errors) {
  if (!before.Get("immutable").AsBool()) return;
  if (!object.Get("immutable").AsBool()) {
    errors.Forbidden("immutable", std::string(kImmutableText));
  }
  for (const std::string_view field : fields) {
    if (object.Get(field) == before.Get(field)) continue;
    if (object.Get(field).IsEmpty() && before.Get(field).IsEmpty()) continue;
    errors.Forbidden(std::string(field), std::string(kImmutableText));
  }
}

class ConfigMaps : public Strategy {
 public:
  bool WantsQualifiedFinalizers() const override { return true; }

  void Validate(const json::Value& object, FieldErrors& errors) const override {
    const json::Value& data = object.Get("data");
    const json::Value& binary = object.Get("binaryData");
    int64_t size = 0;
    ValidateKeys(data, "data", /*base64=*/false, size, errors);
    const FieldPath path("data");
    for (const json::Member& entry : data.members()) {
      if (!binary.Find(entry.key)) continue;
      errors.Invalid(path.Key(entry.key).Text(), entry.key,
                     "duplicate of key present in binaryData");
    }
    ValidateKeys(binary, "binaryData", /*base64=*/true, size, errors);
    // "[]" is the API's name for the whole object.
    if (size > kLargestData) errors.TooLong("[]", kLargestData);
  }

  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view /*subresource*/, FieldErrors& errors) const override {
    ValidateUnchanged(object, before, {"data", "binaryData"}, errors);
  }
};

// Validates that a secret has the keys that its type requires.
void ValidateSecretType(const json::Value& secret, FieldErrors& errors) {
  const std::string& type = secret.Get("type").AsString();
  const json::Value& data = secret.Get("data");
  const FieldPath path("data");
  const auto require = [&](std::string_view key) {
    if (!data.Find(key)) errors.Required(path.Key(key).Text());
  };
  const auto require_json = [&](std::string_view key) {
    require(key);
    if (!data.Find(key)) return;
    const auto parsed = json::ParseValue(text::DecodeBase64(data.Get(key).AsString()).value_or(""));
    if (parsed.ok() && parsed->value.IsObject()) return;
    errors.Invalid(path.Key(key).Text(), "<secret contents redacted>", "invalid character in JSON");
  };
  if (type == "kubernetes.io/service-account-token") {
    constexpr std::string_view kAccount = "kubernetes.io/service-account.name";
    if (secret.Get("metadata", "annotations").Get(kAccount).AsString().empty()) {
      errors.Required("metadata.annotations[" + std::string(kAccount) + "]");
    }
  } else if (type == "kubernetes.io/dockercfg") {
    require_json(".dockercfg");
  } else if (type == "kubernetes.io/dockerconfigjson") {
    require_json(".dockerconfigjson");
  } else if (type == "kubernetes.io/basic-auth") {
    if (data.Find("username") || data.Find("password")) return;
    require("username");
    require("password");
  } else if (type == "kubernetes.io/ssh-auth") {
    if (data.Get("ssh-privatekey").AsString().empty()) {
      errors.Required(path.Key("ssh-privatekey").Text());
    }
  } else if (type == "kubernetes.io/tls") {
    require("tls.crt");
    require("tls.key");
  }
}

class Secrets : public Strategy {
 public:
  bool WantsQualifiedFinalizers() const override { return true; }

  void PrepareForUpdate(json::Value& object, const json::Value& before,
                        std::string_view /*subresource*/) const override {
    KeepGeneration(object, before);
    Default(object);
  }

  // stringData is write-only: it is merged into data and removed.
  void Default(json::Value& object) const override {
    if (object.Get("type").AsString().empty()) object.Set("type", "Opaque");
    if (!object.Find("stringData")) return;
    const json::Value text = object.Get("stringData");
    for (const json::Member& entry : text.members()) {
      object.Mutable("data", entry.key) = text::EncodeBase64(entry.value.AsString());
    }
    object.Erase("stringData");
  }

  void Validate(const json::Value& object, FieldErrors& errors) const override {
    int64_t size = 0;
    ValidateKeys(object.Get("data"), "data", /*base64=*/true, size, errors);
    if (size > kLargestData) errors.TooLong("data", kLargestData);
    ValidateSecretType(object, errors);
  }

  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view /*subresource*/, FieldErrors& errors) const override {
    const json::Value& type = object.Get("type");
    if (!(type == before.Get("type"))) {
      errors.Invalid("type", type, std::string(kFieldImmutable));
    }
    ValidateUnchanged(object, before, {"data"}, errors);
  }

  std::vector<std::string> Warnings(const json::Value& object) const override {
    if (object.Get("type").AsString() != "kubernetes.io/tls") return {};
    const std::string& certificate = object.Get("data", "tls.crt").AsString();
    const std::string text = text::DecodeBase64(certificate).value_or("");
    if (text.find("-----BEGIN ") != std::string::npos) return {};
    return {"tls: failed to find any PEM data in certificate input"};
  }
  std::vector<std::string> WarningsOfUpdate(const json::Value& object,
                                            const json::Value& /*before*/) const override {
    return Warnings(object);
  }

  std::optional<std::string> SelectableField(const json::Value& object,
                                             std::string_view field) const override {
    if (field == "type") return object.Get("type").AsString();
    return Strategy::SelectableField(object, field);
  }
};

class ServiceAccounts : public Strategy {
 public:
  bool WantsQualifiedFinalizers() const override { return true; }

  // References to secrets keep only the name.
  void Default(json::Value& object) const override {
    if (object.Get("secrets").items().empty()) return;
    for (json::Value& secret : object.Mutable("secrets").MutableItems()) {
      const json::Value* name = secret.Find("name");
      secret = name ? json::Value::Object({{"name", *name}}) : json::Value::Object();
    }
  }
};

}  // namespace

StrategyPtr ServiceAccountStrategy() { return std::make_shared<ServiceAccounts>(); }
StrategyPtr ConfigMapStrategy() { return std::make_shared<ConfigMaps>(); }
StrategyPtr SecretStrategy() { return std::make_shared<Secrets>(); }

}  // namespace capstan::testing::server
