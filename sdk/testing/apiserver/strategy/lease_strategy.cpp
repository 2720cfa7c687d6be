#include "apiserver/strategy/strategies.h"
#include "apiserver/validation/names.h"

namespace capstan::testing::server {
namespace {

// Coordinated leader election is off by default in an API server. Its fields are dropped unless
// they are already stored.
void DropCoordination(json::Value& object, const json::Value& before) {
  for (const std::string_view field : {"preferredHolder", "strategy"}) {
    const json::Value* value = object.Get("spec").Find(field);
    if (value && before.Get("spec").Get(field).IsNull()) object.Mutable("spec").Erase(field);
  }
}

class Leases : public Strategy {
 public:
  void PrepareForCreate(json::Value& object) const override {
    DropCoordination(object, json::Value());
  }

  void PrepareForUpdate(json::Value& object, const json::Value& before,
                        std::string_view /*subresource*/) const override {
    KeepGeneration(object, before);
    DropCoordination(object, before);
  }

  void Validate(const json::Value& object, FieldErrors& errors) const override {
    const json::Value& spec = object.Get("spec");
    const json::Value& duration = spec.Get("leaseDurationSeconds");
    if (!duration.IsNull() && duration.AsInteger() <= 0) {
      errors.Invalid("spec.leaseDurationSeconds", duration, "must be greater than 0");
    }
    ValidateNotNegative(spec, "leaseTransitions", FieldPath("spec"), errors);
  }
};

}  // namespace

StrategyPtr LeaseStrategy() { return std::make_shared<Leases>(); }

}  // namespace capstan::testing::server
