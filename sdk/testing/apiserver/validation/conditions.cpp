#include "apiserver/validation/conditions.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "apiserver/validation/names.h"
#include "base/text/ascii.h"

namespace capstan::testing::server {
namespace {

constexpr int64_t kLongestReason = 1024;
constexpr int64_t kLongestMessage = int64_t{32} * 1024;

constexpr std::string_view kReasonText =
    "a condition reason must start with alphabetic character, optionally followed by a string of "
    "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. "
    "'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex "
    "used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

bool IsReasonLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool HasReasonForm(std::string_view text) {
  return IsReasonLetter(text.front()) && text.back() != ',' && text.back() != ':' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return IsReasonLetter(c) || text::IsDigit(c) || c == '_' || c == ',' || c == ':';
         });
}

void ValidateReason(const std::string& reason, const FieldPath& path, FieldErrors& errors) {
  if (reason.empty()) return errors.Required(path.At("reason"));
  if (!HasReasonForm(reason)) errors.Invalid(path.At("reason"), reason, std::string(kReasonText));
  if (static_cast<int64_t>(reason.size()) > kLongestReason) {
    errors.TooLong(path.At("reason"), kLongestReason);
  }
}

void ValidateCondition(const json::Value& condition, const FieldPath& path, FieldErrors& errors) {
  const std::string& type = condition.Get("type").AsString();
  AddFaults(FaultsOfQualifiedName(type), path.Child("type"), type, errors);
  const std::string& status = condition.Get("status").AsString();
  if (status != "True" && status != "False" && status != "Unknown") {
    errors.NotSupported(path.At("status"), status, {"False", "True", "Unknown"});
  }
  const json::Value& generation = condition.Get("observedGeneration");
  if (generation.AsInteger() < 0) {
    errors.Invalid(path.At("observedGeneration"), generation,
                   "must be greater than or equal to zero");
  }
  if (condition.Get("lastTransitionTime").IsEmpty()) {
    errors.Required(path.At("lastTransitionTime"));
  }
  ValidateReason(condition.Get("reason").AsString(), path, errors);
  if (static_cast<int64_t>(condition.Get("message").AsString().size()) > kLongestMessage) {
    errors.TooLong(path.At("message"), kLongestMessage);
  }
}

}  // namespace

void ValidateConditionList(const json::Value& conditions, const FieldPath& path,
                           FieldErrors& errors) {
  std::set<std::string_view> types;
  for (size_t i = 0; i < conditions.items().size(); ++i) {
    const json::Value& condition = conditions.items()[i];
    const FieldPath at = path.Index(i);
    const json::Value& type = condition.Get("type");
    if (!types.insert(type.AsString()).second) errors.Duplicate(at.At("type"), type);
    ValidateCondition(condition, at, errors);
  }
}

}  // namespace capstan::testing::server
