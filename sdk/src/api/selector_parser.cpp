// Reads the text form of label selectors, e.g. "app=web,tier in (a, b),!canary,size>3".

#include <string>
#include <utility>

#include <capstan/api/meta_v1.h>

namespace capstan {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsSymbol(char c) { return std::string_view("=!(),<>").find(c) != std::string_view::npos; }

struct Token {
  enum class Kind : uint8_t { kEnd, kWord, kSymbol };
  Kind kind = Kind::kEnd;
  std::string_view text;

  bool Is(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
  bool IsWord(std::string_view word) const { return kind == Kind::kWord && text == word; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : whole_(text), text_(text) { Advance(); }

  const Token& peek() const { return token_; }
  Token Take() {
    Token token = token_;
    Advance();
    return token;
  }
  bool TakeIf(std::string_view symbol) {
    if (!token_.Is(symbol)) return false;
    Advance();
    return true;
  }
  Status Expected(std::string_view what) const {
    return Status::InvalidArgument(
        "label selector \"" + std::string(whole_) + "\": expected " + std::string(what) +
        ", found " +
        (token_.kind == Token::Kind::kEnd ? "the end" : "\"" + std::string(token_.text) + "\""));
  }

 private:
  void Advance() {
    while (!text_.empty() && IsSpace(text_[0])) text_.remove_prefix(1);
    token_ = {};
    if (text_.empty()) return;
    size_t size = 1;
    if (IsSymbol(text_[0])) {
      const bool two = text_.substr(0, 2) == "==" || text_.substr(0, 2) == "!=";
      size = two ? 2 : 1;
      token_.kind = Token::Kind::kSymbol;
    } else {
      while (size < text_.size() && !IsSpace(text_[size]) && !IsSymbol(text_[size])) ++size;
      token_.kind = Token::Kind::kWord;
    }
    token_.text = text_.substr(0, size);
    text_.remove_prefix(size);
  }

  const std::string_view whole_;
  std::string_view text_;
  Token token_;
};

bool EndsRequirement(const Token& token) {
  return token.kind == Token::Kind::kEnd || token.Is(",");
}

// "(a, b)". A value may be empty: "(a,)" contains "a" and "".
Status ParseSet(Lexer& lexer, List<InternedString>& values) {
  if (!lexer.TakeIf("(")) return lexer.Expected("\"(\"");
  while (true) {
    values.push_back(lexer.peek().kind == Token::Kind::kWord ? lexer.Take().text : "");
    if (lexer.TakeIf(")")) return Status::Ok();
    if (!lexer.TakeIf(",")) return lexer.Expected("\",\" or \")\"");
  }
}

}  // namespace

struct Selector::Parser {
  using Operator = Requirement::Operator;

  static Status ParseOperator(Lexer& lexer, Requirement& requirement) {
    if (lexer.peek().IsWord("in") || lexer.peek().IsWord("notin")) {
      requirement.op = lexer.Take().text == "in" ? Operator::kIn : Operator::kNotIn;
      return ParseSet(lexer, requirement.values);
    }
    if (lexer.TakeIf("=") || lexer.TakeIf("==")) {
      requirement.op = Operator::kIn;
    } else if (lexer.TakeIf("!=")) {
      requirement.op = Operator::kNotIn;
    } else if (lexer.TakeIf(">")) {
      requirement.op = Operator::kGreaterThan;
    } else if (lexer.TakeIf("<")) {
      requirement.op = Operator::kLessThan;
    } else {
      return lexer.Expected("an operator");
    }
    // "a=" requires the empty value.
    requirement.values.push_back(EndsRequirement(lexer.peek()) ? "" : lexer.peek().text);
    if (EndsRequirement(lexer.peek())) return Status::Ok();
    if (lexer.peek().kind != Token::Kind::kWord) return lexer.Expected("a value");
    lexer.Take();
    return Status::Ok();
  }

  static Status ParseRequirement(Lexer& lexer, Requirement& requirement) {
    const bool negated = lexer.TakeIf("!");
    if (lexer.peek().kind != Token::Kind::kWord) return lexer.Expected("a label key");
    requirement.key = lexer.Take().text;
    requirement.op = negated ? Operator::kDoesNotExist : Operator::kExists;
    if (negated || EndsRequirement(lexer.peek())) return Status::Ok();
    return ParseOperator(lexer, requirement);
  }
};

Result<Selector> Selector::Parse(std::string_view text) {
  Selector selector = Everything();
  Lexer lexer(text);
  if (lexer.peek().kind == Token::Kind::kEnd) return selector;
  do {
    Requirement requirement{};
    if (Status s = Parser::ParseRequirement(lexer, requirement); !s.ok()) return s;
    if (!EndsRequirement(lexer.peek())) return lexer.Expected("\",\" or the end");
    if (Status s = selector.Add(std::move(requirement)); !s.ok()) return s;
  } while (lexer.TakeIf(","));
  return selector;
}

}  // namespace capstan
