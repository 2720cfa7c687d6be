// Selector: conversion of a LabelSelector, matching, printing. selector_parser.cpp reads the text
// form.

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <capstan/api/meta_v1.h>

#include "api/label_syntax.h"

namespace capstan {
namespace {

std::optional<int64_t> ToInteger(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Compares two integers. Returns false if one is not an integer.
bool IsLess(std::string_view a, std::string_view b) {
  const auto left = ToInteger(a);
  if (!left) return false;
  const auto right = ToInteger(b);
  return right && *left < *right;
}

bool Contains(const List<InternedString>& values, std::string_view value) {
  return std::any_of(values.begin(), values.end(),
                     [value](const InternedString& v) { return v.view() == value; });
}

}  // namespace

Selector Selector::Everything() {
  Selector selector;
  selector.nothing_ = false;
  return selector;
}

Status Selector::Add(Requirement requirement) {
  using Operator = Requirement::Operator;
  const std::string subject = "label selector: key \"" + requirement.key + "\"";
  if (!internal::IsLabelKey(requirement.key)) {
    return Status::InvalidArgument(subject + " is not a valid label key");
  }
  for (const InternedString& value : requirement.values) {
    if (internal::IsLabelValue(value)) continue;
    return Status::InvalidArgument(subject + ": \"" + value.str() +
                                   "\" is not a valid label value");
  }
  const size_t count = requirement.values.size();
  switch (requirement.op) {
    case Operator::kIn:
    case Operator::kNotIn:
      if (count == 0) return Status::InvalidArgument(subject + ": In and NotIn need values");
      break;
    case Operator::kExists:
    case Operator::kDoesNotExist:
      if (count != 0) {
        return Status::InvalidArgument(subject + ": Exists and DoesNotExist take no values");
      }
      break;
    case Operator::kGreaterThan:
    case Operator::kLessThan:
      if (count != 1 || !ToInteger(requirement.values[0])) {
        return Status::InvalidArgument(subject + ": \">\" and \"<\" take one integer");
      }
      break;
  }
  requirements_.push_back(std::move(requirement));
  return Status::Ok();
}

Result<Selector> Selector::From(const api::LabelSelector& selector) {
  using Operator = Requirement::Operator;
  Selector made = Everything();
  for (const auto& [key, value] : selector.matchLabels) {
    Requirement requirement{key.str(), Operator::kIn, {value}};
    if (Status status = made.Add(std::move(requirement)); !status.ok()) return status;
  }
  static constexpr std::pair<std::string_view, Operator> kOperators[] = {
      {"In", Operator::kIn},
      {"NotIn", Operator::kNotIn},
      {"Exists", Operator::kExists},
      {"DoesNotExist", Operator::kDoesNotExist}};
  for (const auto& expression : selector.matchExpressions) {
    const auto* found =
        std::find_if(std::begin(kOperators), std::end(kOperators),
                     [&](const auto& known) { return expression.operator_ == known.first; });
    if (found == std::end(kOperators)) {
      return Status::InvalidArgument("label selector: key \"" + expression.key.str() + "\": \"" +
                                     expression.operator_.str() +
                                     "\" is not one of In, NotIn, Exists, DoesNotExist");
    }
    Requirement requirement{expression.key.str(), found->second, expression.values};
    if (Status status = made.Add(std::move(requirement)); !status.ok()) return status;
  }
  return made;
}

bool Selector::Requirement::Matches(const StringMap& labels) const {
  const std::string* value = labels.Find(key);
  switch (op) {
    case Operator::kExists:
      return value != nullptr;
    case Operator::kDoesNotExist:
      return value == nullptr;
    case Operator::kIn:
      return value && Contains(values, *value);
    case Operator::kNotIn:
      return !value || !Contains(values, *value);
    case Operator::kGreaterThan:
      return value && IsLess(values[0], *value);
    case Operator::kLessThan:
      return value && IsLess(*value, values[0]);
  }
  return false;
}

bool Selector::Matches(const StringMap& labels) const {
  return !nothing_ && std::all_of(requirements_.begin(), requirements_.end(),
                                  [&](const Requirement& r) { return r.Matches(labels); });
}

bool Selector::IsEverything() const { return !nothing_ && requirements_.empty(); }

std::string Selector::Requirement::ToString() const {
  switch (op) {
    case Operator::kExists:
      return key;
    case Operator::kDoesNotExist:
      return "!" + key;
    case Operator::kGreaterThan:
      return key + ">" + values[0].str();
    case Operator::kLessThan:
      return key + "<" + values[0].str();
    case Operator::kIn:
    case Operator::kNotIn:
      break;
  }
  const bool in = op == Operator::kIn;
  if (values.size() == 1) return key + (in ? "=" : "!=") + values[0].str();
  std::vector<std::string_view> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  std::string text = key + (in ? " in (" : " notin (");
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0) text += ',';
    text += sorted[i];
  }
  return text + ")";
}

std::string Selector::ToString() const {
  std::vector<const Requirement*> sorted;
  for (const Requirement& requirement : requirements_) sorted.push_back(&requirement);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->key < b->key; });
  std::string text;
  for (const Requirement* requirement : sorted) {
    if (!text.empty()) text += ',';
    text += requirement->ToString();
  }
  return text;
}

}  // namespace capstan
