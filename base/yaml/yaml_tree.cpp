#include "base/yaml/yaml_tree.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

namespace capstan::yaml {
namespace {

/// Thrown by an event handler to stop the parser.
class Refusal : public std::exception {
 public:
  Refusal(Error::Kind kind, const Node& where, std::string text = {})
      : error_{kind, where.line, where.column, std::move(text)} {}
  const char* what() const noexcept override { return "refused"; }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

struct Extent {
  size_t nodes = 1;
  size_t depth = 0;
};

Extent ExtentOf(const Node& node) {
  Extent extent;
  const auto add = [&](const Node& part) {
    const Extent inner = ExtentOf(part);
    extent.nodes += inner.nodes;
    extent.depth = std::max(extent.depth, inner.depth);
  };
  std::ranges::for_each(node.keys, add);
  std::ranges::for_each(node.items, add);
  if (node.IsList() || node.IsMap()) ++extent.depth;
  return extent;
}

Node NodeAt(const YAML::Mark& mark, Node::Kind kind) {
  Node node;
  node.kind = kind;
  node.line = mark.line + 1;
  node.column = mark.column + 1;
  return node;
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const Options& options) : options_(options) {}

  Node Take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(NodeAt(mark, Node::Kind::kNull), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Node alias = NodeAt(mark, Node::Kind::kNull);
    const auto known = anchors_.find(anchor);
    // The parser knows the anchor, so its node must still be open.
    if (known == anchors_.end()) throw Refusal(Error::Kind::kSelfReference, alias);
    // The limits are checked before the copy.
    const Extent extent = ExtentOf(known->second);
    Count(alias, extent.nodes);
    CheckDepth(alias, extent.depth);
    Node copy = known->second;
    copy.line = alias.line;
    copy.column = alias.column;
    Place(std::move(copy));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node = NodeAt(mark, Node::Kind::kScalar);
    node.plain = tag.empty() || tag == "?";
    SetTag(node, tag);
    node.text = value;
    Add(std::move(node), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, Node::Kind::kList);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, Node::Kind::kMap);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Level {
    Node node;
    YAML::anchor_t anchor;
  };

  void SetTag(Node& node, const std::string& tag) const {
    // The tags that the parser sets on plain and on quoted values.
    if (tag == "?" || tag == "!") return;
    if (!tag.empty() && !options_.accepts_tags) throw Refusal(Error::Kind::kTag, node, tag);
    node.tag = tag;
  }
  void Count(const Node& where, size_t nodes) {
    nodes_ += nodes;
    if (nodes_ > options_.max_nodes) throw Refusal(Error::Kind::kTooManyNodes, where);
  }
  void CheckDepth(const Node& where, size_t depth) const {
    if (levels_.size() + depth > options_.max_depth) throw Refusal(Error::Kind::kTooDeep, where);
  }
  void Open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            Node::Kind kind) {
    Node node = NodeAt(mark, kind);
    SetTag(node, tag);
    Count(node, 1);
    CheckDepth(node, 1);
    levels_.push_back({std::move(node), anchor});
  }
  void Close() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    Keep(level.node, level.anchor);
    Place(std::move(level.node));
  }
  void Add(Node node, YAML::anchor_t anchor) {
    Count(node, 1);
    Keep(node, anchor);
    Place(std::move(node));
  }
  // Anchored nodes are stored and use memory too. Anchors may be nested.
  void Keep(const Node& node, YAML::anchor_t anchor) {
    if (anchor == YAML::NullAnchor) return;
    Count(node, ExtentOf(node).nodes);
    anchors_[anchor] = node;
  }
  void Place(Node node) {
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Node& parent = levels_.back().node;
    const bool is_key = parent.IsMap() && parent.keys.size() == parent.items.size();
    (is_key ? parent.keys : parent.items).push_back(std::move(node));
  }

  const Options& options_;
  Node root_;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, Node> anchors_;
  size_t nodes_ = 0;
};

/// Handles the events after the first document.
class NothingMore final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    throw Refusal(Error::Kind::kManyDocuments, NodeAt(mark, Node::Kind::kNull));
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

std::string Node::Place() const { return std::to_string(line) + ':' + std::to_string(column); }

const Node* Node::Find(std::string_view key) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].IsScalar() && keys[i].text == key) return &items[i];
  }
  return nullptr;
}

std::vector<Node> RemoveRepeatedKeys(Node& node) {
  std::vector<Node> repeated;
  std::map<std::string, size_t> last;  // the position of the last key with this text
  for (size_t i = 0; i < node.keys.size(); ++i) {
    if (node.keys[i].IsScalar()) last[node.keys[i].text] = i;
  }
  std::set<size_t> reported;
  size_t count = 0;
  for (size_t i = 0; i < node.keys.size(); ++i) {
    if (const Node& key = node.keys[i]; key.IsScalar() && last[key.text] != i) {
      const size_t winner = last[key.text];
      if (reported.insert(winner).second) repeated.push_back(node.keys[winner]);
      continue;
    }
    if (count != i) {
      node.keys[count] = std::move(node.keys[i]);
      node.items[count] = std::move(node.items[i]);
    }
    ++count;
  }
  if (node.IsMap()) {
    node.keys.resize(count);
    node.items.resize(count);
  }
  for (Node& item : node.items) {
    for (Node& key : RemoveRepeatedKeys(item)) repeated.push_back(std::move(key));
  }
  return repeated;
}

std::variant<Node, Error> Parse(const std::string& text, const Options& options) try {
  std::istringstream in(text);
  YAML::Parser parser(in);
  TreeBuilder builder(options);
  const bool any = parser.HandleNextDocument(builder);
  if (!options.one_document) return builder.Take();
  if (!any) return Error{.kind = Error::Kind::kNoDocument};
  NothingMore nothing_more;
  while (parser.HandleNextDocument(nothing_more)) {
  }
  return builder.Take();
} catch (const Refusal& refusal) {
  return refusal.error();
} catch (const YAML::Exception& exception) {
  // An unknown position is -1:-1.
  return Error{Error::Kind::kSyntax, exception.mark.line + 1, exception.mark.column + 1,
               exception.msg};
} catch (const std::exception& exception) {
  return Error{.kind = Error::Kind::kSyntax, .text = exception.what()};
}

}  // namespace capstan::yaml
