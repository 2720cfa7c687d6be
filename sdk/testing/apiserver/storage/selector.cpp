#include "apiserver/storage/selector.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "apiserver/http/api_errors.h"
#include "apiserver/validation/field_error.h"
#include "apiserver/validation/names.h"
#include "base/text/joined.h"

namespace capstan::testing::server {
namespace {

std::optional<int64_t> IntegerOf(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

struct Token {
  enum class Kind : uint8_t { kEnd, kIdentifier, kWord, kSymbol };  // kWord: in, notin
  Kind kind = Kind::kEnd;
  std::string_view text;

  bool Is(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
  // In place of a key or value, "in" is an ordinary identifier.
  bool IsIdentifier() const { return kind == Kind::kIdentifier || kind == Kind::kWord; }
};

std::vector<Token> TokensOf(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  constexpr std::string_view kSymbols = "=!(),<>";
  text = text.substr(0, text.find('\0'));
  std::vector<Token> tokens;
  size_t i = 0;
  while (i < text.size()) {
    if (kSpace.find(text[i]) != std::string_view::npos) {
      ++i;
      continue;
    }
    Token token{Token::Kind::kSymbol, text.substr(i, 2)};
    if (token.text != "==" && token.text != "!=") token.text = text.substr(i, 1);
    if (kSymbols.find(text[i]) == std::string_view::npos) {
      const size_t end = text.find_first_of(" \t\r\n=!(),<>", i);
      token.text = text.substr(i, end == std::string_view::npos ? end : end - i);
      const bool is_word = token.text == "in" || token.text == "notin";
      token.kind = is_word ? Token::Kind::kWord : Token::Kind::kIdentifier;
    }
    tokens.push_back(token);
    i += token.text.size();
  }
  return tokens;
}

using Operator = LabelSelector::Operator;
using Requirement = LabelSelector::Requirement;

// The errors of Parse methods lack the prefix that their caller adds.
class LabelParser {
 public:
  explicit LabelParser(std::string_view text) : tokens_(TokensOf(text)) {}

  Result<std::vector<Requirement>> Parse();

 private:
  Token Peek() const { return place_ < tokens_.size() ? tokens_[place_] : Token(); }
  Token Next() {
    const Token token = Peek();
    if (place_ < tokens_.size()) ++place_;
    return token;
  }
  static Status Found(const Token& token, std::string_view expected) {
    return BadRequestError("found '" + std::string(token.text) + "'" + std::string(expected));
  }

  Result<Requirement> ParseRequirement();
  Result<std::vector<std::string>> ParseValueSet();
  Status ParseOperator(Requirement& requirement, bool& takes_set);
  static Status Check(const Requirement& requirement);

  const std::vector<Token> tokens_;
  size_t place_ = 0;
};

Result<std::vector<Requirement>> LabelParser::Parse() {
  std::vector<Requirement> requirements;
  if (Peek().kind == Token::Kind::kEnd) return requirements;
  if (!Peek().IsIdentifier() && !Peek().Is("!")) {
    return Found(Peek(), ", expected: !, identifier, or 'end of string'");
  }
  while (true) {
    auto requirement = ParseRequirement();
    if (!requirement.ok()) {
      return BadRequestError("unable to parse requirement: " + requirement.status().message());
    }
    requirements.push_back(*std::move(requirement));
    const Token token = Next();
    if (token.kind == Token::Kind::kEnd) return requirements;
    if (!token.Is(",")) return Found(token, ", expected: ',' or 'end of string'");
    if (!Peek().IsIdentifier() && !Peek().Is("!")) {
      return Found(Peek(), ", expected: identifier after ','");
    }
  }
}

Result<Requirement> LabelParser::ParseRequirement() {
  Requirement requirement;
  Token key = Next();
  if (key.Is("!")) {
    requirement.op = Operator::kDoesNotExist;
    key = Next();
  }
  if (!key.IsIdentifier()) return Found(key, ", expected: identifier");
  requirement.key = key.text;
  if (const Faults faults = FaultsOfQualifiedName(key.text); !faults.empty()) {
    // The API has no field path here; its text shows Go's nil path.
    return BadRequestError("<nil>: Invalid value: " + Quoted(key.text) + ": " +
                           text::Joined(faults, "; "));
  }
  if (requirement.op == Operator::kDoesNotExist) return requirement;
  if (Peek().kind == Token::Kind::kEnd || Peek().Is(",")) return requirement;

  bool takes_set = false;
  if (Status status = ParseOperator(requirement, takes_set); !status.ok()) return status;
  if (takes_set) {
    auto values = ParseValueSet();
    if (!values.ok()) return values.status();
    requirement.values = *std::move(values);
  } else if (Peek().kind == Token::Kind::kEnd || Peek().Is(",")) {
    requirement.values = {""};
  } else {
    const Token value = Next();
    if (!value.IsIdentifier()) return Found(value, ", expected: identifier");
    requirement.values = {std::string(value.text)};
  }
  if (Status status = Check(requirement); !status.ok()) return status;
  return requirement;
}

Status LabelParser::ParseOperator(Requirement& requirement, bool& takes_set) {
  const Token token = Next();
  takes_set = token.kind == Token::Kind::kWord;
  if (token.Is("=") || token.Is("==") || (takes_set && token.text == "in")) {
    requirement.op = Operator::kIn;
  } else if (token.Is("!=") || takes_set) {
    requirement.op = Operator::kNotIn;
  } else if (token.Is(">")) {
    requirement.op = Operator::kGreater;
  } else if (token.Is("<")) {
    requirement.op = Operator::kLess;
  } else {
    return Found(token, ", expected: in, notin, =, ==, !=, gt, lt");
  }
  return Status::Ok();
}

// Parses "(a,b)". A missing value is "".
Result<std::vector<std::string>> LabelParser::ParseValueSet() {
  if (const Token open = Next(); !open.Is("(")) return Found(open, " expected: '('");
  std::set<std::string> values;
  const Token first = Peek();
  if (!first.IsIdentifier() && !first.Is(",") && !first.Is(")")) {
    return Found(first, ", expected: ',', ')' or identifier");
  }
  bool value_missing = true;
  while (true) {
    const Token token = Next();
    if (token.Is(")") || token.Is(",")) {
      if (value_missing) values.emplace();
      if (token.Is(")")) return std::vector<std::string>(values.begin(), values.end());
      value_missing = true;
    } else if (token.IsIdentifier() && value_missing) {
      values.emplace(token.text);
      value_missing = false;
    } else {
      return Found(token,
                   value_missing ? ", expected: ',', or identifier" : ", expected: ',' or ')'");
    }
  }
}

Status LabelParser::Check(const Requirement& requirement) {
  FieldErrors errors;
  for (size_t i = 0; i < requirement.values.size(); ++i) {
    const std::string& value = requirement.values[i];
    const std::string path = "values[" + std::to_string(i) + "]";
    const bool compares = requirement.op == Operator::kGreater || requirement.op == Operator::kLess;
    if (compares && !IntegerOf(value)) {
      errors.Invalid(path, value, "for 'Gt', 'Lt' operators, the value must be an integer");
    }
    if (const Faults faults = FaultsOfLabelValue(value); !faults.empty()) {
      errors.Invalid(path + "[" + requirement.key + "]", value, text::Joined(faults, "; "));
    }
  }
  return errors.empty() ? Status::Ok() : BadRequestError(errors.ToString());
}

bool Holds(const Requirement& requirement, const json::Value& labels) {
  const json::Value* label = labels.Find(requirement.key);
  const auto contains = [&] {
    return std::binary_search(requirement.values.begin(), requirement.values.end(),
                              label->AsString());
  };
  switch (requirement.op) {
    case Operator::kIn:
      return label && contains();
    case Operator::kNotIn:
      return !label || !contains();
    case Operator::kExists:
      return label;
    case Operator::kDoesNotExist:
      return !label;
    case Operator::kGreater:
    case Operator::kLess: {
      const auto number = label ? IntegerOf(label->AsString()) : std::nullopt;
      const auto limit = IntegerOf(requirement.values.front());
      if (!number || !limit) return false;
      return requirement.op == Operator::kGreater ? *number > *limit : *number < *limit;
    }
  }
  return false;
}

// Splits at unescaped commas.
std::vector<std::string_view> FieldTermsOf(std::string_view text) {
  std::vector<std::string_view> terms;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || text[i] == ',') {
      if (i > start) terms.push_back(text.substr(start, i - start));
      start = i + 1;
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
    }
  }
  std::sort(terms.begin(), terms.end());
  return terms;
}

Result<std::string> UnescapeFieldValue(std::string_view text) {
  constexpr std::string_view kInvalid = "invalid field selector: ";
  std::string value;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',' || text[i] == '=') {
      return BadRequestError(std::string(kInvalid) + "unescaped character in value: " +
                             std::to_string(static_cast<int>(text[i])));
    }
    if (text[i] == '\\') {
      ++i;
      if (i == text.size() || (text[i] != '\\' && text[i] != ',' && text[i] != '=')) {
        return BadRequestError(std::string(kInvalid) +
                               "invalid escape sequence: " + std::string(text.substr(i - 1, 2)));
      }
    }
    value += text[i];
  }
  return value;
}

}  // namespace

Result<LabelSelector> LabelSelector::Parse(std::string_view text) {
  auto requirements = LabelParser(text).Parse();
  if (!requirements.ok()) return requirements.status();
  LabelSelector selector;
  selector.requirements_ = *std::move(requirements);
  return selector;
}

bool LabelSelector::Matches(const json::Value& labels) const {
  return std::all_of(requirements_.begin(), requirements_.end(),
                     [&](const Requirement& requirement) { return Holds(requirement, labels); });
}

Result<FieldSelector> FieldSelector::Parse(std::string_view text) {
  FieldSelector selector;
  for (const std::string_view term : FieldTermsOf(text)) {
    const size_t place = std::min(term.find('='), term.find("!="));
    if (place == std::string_view::npos) {
      return BadRequestError("invalid selector: '" + std::string(text) + "'; can't understand '" +
                             std::string(term) + "'");
    }
    const bool equal = term[place] == '=';
    const bool is_long = !equal || term.substr(place).starts_with("==");
    auto value = UnescapeFieldValue(term.substr(place + (is_long ? 2 : 1)));
    if (!value.ok()) return value.status();
    selector.terms_.push_back({std::string(term.substr(0, place)), *std::move(value), equal});
  }
  return selector;
}

FieldSelector FieldSelector::OfName(std::string_view name) {
  FieldSelector selector;
  selector.terms_.push_back({"metadata.name", std::string(name), true});
  return selector;
}

bool FieldSelector::RequiresName(std::string_view name) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    return term.field == "metadata.name" && term.equal && term.value == name;
  });
}

}  // namespace capstan::testing::server
