#pragma once

/// Parses label and field selectors of queries.
/// https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
/// https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

#include "json/value.h"

namespace capstan::testing::server {

class LabelSelector {
 public:
  enum class Operator : uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGreater, kLess };
  struct Requirement {
    std::string key;
    Operator op = Operator::kExists;
    std::vector<std::string> values;  ///< sorted; a single one for kGreater and kLess
  };

  /// Errors: BadRequest, with the API's text.
  static Result<LabelSelector> Parse(std::string_view text);
  /// `labels` is metadata.labels, or null.
  bool Matches(const json::Value& labels) const;
  bool MatchesAll() const { return requirements_.empty(); }

 private:
  std::vector<Requirement> requirements_;
};

class FieldSelector {
 public:
  struct Term {
    std::string field;
    std::string value;
    bool equal = true;
  };

  /// Errors: BadRequest with the API's text. Parse does not check that the kind supports the
  /// fields.
  static Result<FieldSelector> Parse(std::string_view text);
  /// metadata.name=`name`
  static FieldSelector OfName(std::string_view name);
  /// Whether the selector matches only objects with this name.
  bool RequiresName(std::string_view name) const;
  const std::vector<Term>& terms() const { return terms_; }

 private:
  std::vector<Term> terms_;
};

}  // namespace capstan::testing::server
