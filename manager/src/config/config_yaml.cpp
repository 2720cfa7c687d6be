#include "config/config_yaml.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <capstan/runtime/format.h>

namespace capstan::manager {
namespace {

constexpr size_t kMaxYamlSize = 1 << 20;
constexpr size_t kMaxYamlNodes = 10'000;
constexpr size_t kMaxYamlDepth = 32;

bool IsNullWord(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

bool IsBoolWord(std::string_view text) {
  for (const char* word : {"true", "True", "TRUE", "false", "False", "FALSE", "yes", "Yes", "YES",
                           "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"}) {
    if (text == word) return true;
  }
  return false;
}

bool IsNumberWord(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text == ".inf" || text == ".nan" || text == ".Inf" || text == ".NaN" || text == ".INF") {
    return true;
  }
  if (text.starts_with("0x") || text.starts_with("0o")) return true;
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (stop != text.data() + text.size() || text.empty()) return false;
  return (text[0] >= '0' && text[0] <= '9') || text[0] == '.';
}

std::string PlaceOfMark(const YAML::Mark& mark) {
  return Format("{}:{}", mark.line + 1, mark.column + 1);
}

/// Ends the parsing: what the file does is not accepted.
class YamlRefusal : public std::exception {
 public:
  explicit YamlRefusal(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

size_t NodeCount(const YamlNode& node) {
  size_t count = 1 + node.keys.size();
  for (const YamlNode& item : node.items) count += NodeCount(item);
  return count;
}

class YamlTreeBuilder final : public YAML::EventHandler {
 public:
  YamlNode Take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(NodeAt(mark, YamlNode::Kind::kNull), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) {
      throw YamlRefusal(PlaceOfMark(mark) + ": the anchor holds itself");
    }
    // Counted before it is copied.
    Count(mark, NodeCount(known->second));
    YamlNode copy = known->second;
    copy.line = mark.line + 1;
    copy.column = mark.column + 1;
    Place(std::move(copy));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    CheckTag(mark, tag);
    YamlNode node = NodeAt(mark, YamlNode::Kind::kScalar);
    node.plain = tag == "?" || tag.empty();
    node.text = value;
    if (node.plain && IsNullWord(value)) node.kind = YamlNode::Kind::kNull;
    Add(std::move(node), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, YamlNode::Kind::kList);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Level {
    YamlNode node;
    YAML::anchor_t anchor;
  };

  static YamlNode NodeAt(const YAML::Mark& mark, YamlNode::Kind kind) {
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }
  static void CheckTag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    throw YamlRefusal(Format("{}: tags such as {} are not understood", PlaceOfMark(mark), tag));
  }
  void Count(const YAML::Mark& mark, size_t nodes) {
    nodes_ += nodes;
    if (nodes_ > kMaxYamlNodes)
      throw YamlRefusal(PlaceOfMark(mark) + ": too much for a configuration");
  }
  void Open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind) {
    CheckTag(mark, tag);
    Count(mark, 1);
    if (levels_.size() >= kMaxYamlDepth)
      throw YamlRefusal(PlaceOfMark(mark) + ": nested too deeply");
    levels_.push_back({NodeAt(mark, kind), anchor});
  }
  void Close() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    if (level.anchor != YAML::NullAnchor) anchors_[level.anchor] = level.node;
    Place(std::move(level.node));
  }
  void Add(YamlNode node, YAML::anchor_t anchor) {
    if (++nodes_ > kMaxYamlNodes) {
      throw YamlRefusal(node.Place() + ": too much for a configuration");
    }
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    Place(std::move(node));
  }
  void Place(YamlNode node) {
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    YamlNode& parent = levels_.back().node;
    const bool is_key =
        parent.kind == YamlNode::Kind::kMap && parent.keys.size() == parent.items.size();
    (is_key ? parent.keys : parent.items).push_back(std::move(node));
  }

  YamlNode root_;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  size_t nodes_ = 0;
};

/// For what follows the first document.
class RefuseEverything final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    throw YamlRefusal(PlaceOfMark(mark) + ": there is more than one document");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

}  // namespace

bool YamlNode::IsPlainWord() const { return kind == Kind::kScalar && plain && NeedsQuotes(text); }

std::string YamlNode::Place() const { return Format("{}:{}", line, column); }

const YamlNode* YamlNode::Find(std::string_view key) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].kind == Kind::kScalar && keys[i].text == key) return &items[i];
  }
  return nullptr;
}

std::string_view KindName(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
    case YamlNode::Kind::kScalar:
      break;
  }
  if (!node.plain) return "text in quotes";
  if (IsBoolWord(node.text)) return "true or false";
  return IsNumberWord(node.text) ? "a number" : "text";
}

bool NeedsQuotes(std::string_view text) {
  return IsNullWord(text) || IsBoolWord(text) || IsNumberWord(text);
}

Result<YamlNode> ParseYaml(const std::string& text) {
  if (text.find('\0') != std::string::npos) {
    return Status::InvalidArgument("1:1: is no YAML: it has a zero byte");
  }
  try {
    std::istringstream in(text);
    YAML::Parser parser(in);
    YamlTreeBuilder builder;
    if (!parser.HandleNextDocument(builder)) {
      return Status::InvalidArgument("1:1: holds nothing");
    }
    RefuseEverything nothing_more;
    while (parser.HandleNextDocument(nothing_more)) {
    }
    return builder.Take();
  } catch (const YamlRefusal& refusal) {
    return Status::InvalidArgument(refusal.what());
  } catch (const YAML::Exception& exception) {
    return Status::InvalidArgument(
        Format("{}: is no YAML: {}", PlaceOfMark(exception.mark), exception.msg));
  } catch (const std::exception& exception) {
    return Status::InvalidArgument(Format("1:1: is no YAML: {}", exception.what()));
  }
}

Result<std::string> ReadSmallFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Status::InvalidArgument(Format("{}: {}", path, std::strerror(errno)));
  std::string text(kMaxYamlSize + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (!in.eof() && in.fail())) {
    return Status::InvalidArgument(Format("{}: {}", path, std::strerror(errno)));
  }
  text.resize(static_cast<size_t>(in.gcount()));
  if (text.size() > kMaxYamlSize) {
    return Status::InvalidArgument(Format("{}: is larger than 1 MiB", path));
  }
  return text;
}

}  // namespace capstan::manager
