// LimitRanges.

#include <charconv>
#include <set>
#include <string>

#include <capstan/runtime/format.h>

#include "apiserver/strategy/strategies.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/resource_requirements.h"
#include "base/text/quantity.h"

namespace capstan::testing::server {
namespace {

double ValueOf(std::string_view quantity) {
  const std::string text = text::CanonicalQuantity(quantity).value_or("0");
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool AllowsOvercommit(std::string_view name) {
  return IsNativeResource(name) && !name.starts_with("hugepages-");
}

// One item of a LimitRange.
class LimitItem {
 public:
  LimitItem(const json::Value& limit, const FieldPath& path, FieldErrors& errors)
      : limit_(limit), path_(path), errors_(errors) {}

  void Validate() {
    const std::string& type = limit_.Get("type").AsString();
    for (const std::string_view field : {"max", "min"}) ValidateNames(field);
    for (const std::string_view field : {"default", "defaultRequest"}) {
      if (type != "Pod") {
        ValidateNames(field);
      } else if (!limit_.Get(field).IsEmpty()) {
        errors_.Forbidden(path_.At(field), "may not be specified when `type` is 'Pod'");
      }
    }
    if (type == "PersistentVolumeClaim" && !limit_.Get("min").Find("storage") &&
        !limit_.Get("max").Find("storage")) {
      errors_.Required(path_.At("limits"),
                       "either minimum or maximum storage value is required, but neither was "
                       "provided");
    }
    ValidateNames("maxLimitRequestRatio");
    for (const std::string& name : names_) ValidateOrder(name);
  }

 private:
  void ValidateNames(std::string_view field) {
    const std::string& type = limit_.Get("type").AsString();
    const FieldPath at = path_.Child(field);
    for (const json::Member& amount : limit_.Get(field).members()) {
      names_.insert(amount.key);
      const FieldPath key = at.Key(amount.key);
      if (type == "Pod" || type == "Container") {
        ValidateContainerResourceName(amount.key, key, errors_);
      } else {
        ValidateResourceName(amount.key, key, errors_);
      }
    }
  }

  const json::Value* Amount(std::string_view field, const std::string& name) const {
    return limit_.Get(field).Find(name);
  }

  // Whether both exist and `a` is greater.
  static bool IsGreater(const json::Value* a, const json::Value* b) {
    return a && b && CompareQuantities(a->AsString(), b->AsString()) > 0;
  }

  void Complain(std::string_view field, const std::string& name, const json::Value& shown,
                std::string detail) {
    const FieldPath at = path_.Child(field);
    errors_.Invalid(at.Key(name).Text(), shown, std::move(detail));
  }

  void ValidateOrder(const std::string& name);
  void ValidateRatio(const std::string& name);

  const json::Value& limit_;
  const FieldPath& path_;
  FieldErrors& errors_;
  std::set<std::string> names_;
};

void LimitItem::ValidateOrder(const std::string& name) {
  const json::Value* min = Amount("min", name);
  const json::Value* max = Amount("max", name);
  const json::Value* limit = Amount("default", name);
  const json::Value* request = Amount("defaultRequest", name);
  const auto greater = [](std::string_view what, const json::Value* value, std::string_view other,
                          const json::Value* than) {
    return std::string(what) + " value " + value->AsString() + " is greater than " +
           std::string(other) + " value " + than->AsString();
  };
  if (IsGreater(min, max)) Complain("min", name, *min, greater("min", min, "max", max));
  if (IsGreater(min, request)) {
    Complain("defaultRequest", name, *request, greater("min", min, "default request", request));
  }
  if (IsGreater(request, max)) {
    Complain("defaultRequest", name, *request, greater("default request", request, "max", max));
  }
  if (IsGreater(request, limit)) {
    Complain("defaultRequest", name, *request,
             greater("default request", request, "default limit", limit));
  }
  if (IsGreater(min, limit)) Complain("default", name, *min, greater("min", min, "default", limit));
  if (IsGreater(limit, max)) Complain("default", name, *max, greater("default", limit, "max", max));
  ValidateRatio(name);
  if (!AllowsOvercommit(name) && limit && request &&
      CompareQuantities(limit->AsString(), request->AsString()) != 0) {
    Complain("defaultRequest", name, *request,
             "default value " + limit->AsString() + " must equal to defaultRequest value " +
                 request->AsString() + " in " + name);
  }
}

void LimitItem::ValidateRatio(const std::string& name) {
  const json::Value* min = Amount("min", name);
  const json::Value* max = Amount("max", name);
  const json::Value* ratio = Amount("maxLimitRequestRatio", name);
  if (!ratio) return;
  if (CompareQuantities(ratio->AsString(), "1") < 0) {
    Complain("maxLimitRequestRatio", name, *ratio,
             "ratio " + ratio->AsString() + " is less than 1");
  }
  if (!min || !max) return;
  const double most = ValueOf(max->AsString()) / ValueOf(min->AsString());
  if (ValueOf(ratio->AsString()) <= most) return;
  Complain("maxLimitRequestRatio", name, *ratio,
           Format("ratio {} is greater than max/min = {:.6f}", ratio->AsString(), most));
}

// The limits of containers default to each other.
void DefaultLimit(json::Value& limit) {
  if (limit.Get("type").AsString() != "Container") return;
  const auto take = [&limit](std::string_view to, std::string_view from) {
    const json::Value source = limit.Get(from);
    for (const json::Member& amount : source.members()) {
      if (!limit.Get(to).Find(amount.key)) limit.Mutable(to).Set(amount.key, amount.value);
    }
  };
  take("default", "max");
  take("defaultRequest", "default");
  take("defaultRequest", "min");
}

class LimitRanges : public Strategy {
 public:
  bool WantsQualifiedFinalizers() const override { return true; }

  // An object without a name receives a UUID as its name.
  void PrepareForCreate(json::Value& object) const override {
    json::Value& metadata = object.Mutable("metadata");
    if (metadata.Get("name").IsEmpty()) metadata.Set("name", metadata.Get("uid"));
  }

  void Default(json::Value& object) const override {
    if (object.Get("spec", "limits").items().empty()) {
      if (object.Get("spec").IsObject()) object.Mutable("spec").Set("limits", json::Value());
      return;
    }
    for (json::Value& limit : object.Mutable("spec", "limits").MutableItems()) DefaultLimit(limit);
  }

  void Validate(const json::Value& object, FieldErrors& errors) const override {
    const auto& limits = object.Get("spec", "limits").items();
    const FieldPath path("spec.limits");
    std::set<std::string_view> types;
    for (size_t i = 0; i < limits.size(); ++i) {
      const FieldPath at = path.Index(i);
      const std::string& type = limits[i].Get("type").AsString();
      const Faults faults = FaultsOfQualifiedName(type);
      AddFaults(faults, at.Child("type"), type, errors);
      const bool standard = type == "Pod" || type == "Container" || type == "PersistentVolumeClaim";
      if (faults.empty() && !standard && type.find('/') == std::string::npos) {
        errors.Invalid(at.At("type"), type, "must be a standard limit type or fully qualified");
      }
      if (!types.insert(type).second) errors.Duplicate(at.At("type"), type);
      LimitItem(limits[i], at, errors).Validate();
    }
  }
};

}  // namespace

StrategyPtr LimitRangeStrategy() { return std::make_shared<LimitRanges>(); }

}  // namespace capstan::testing::server
