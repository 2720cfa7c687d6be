#include "base/json/json_tree.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/json/json_text.h"
#include "base/json/rapidjson.h"

namespace capstan::json {

const Node* Node::Find(std::string_view member) const {
  if (kind != Kind::kObject) return nullptr;
  // Searches backwards, since the last of several members with the same key wins.
  for (auto it = children.rbegin(); it != children.rend(); ++it) {
    if (it->key == member) return &*it;
  }
  return nullptr;
}

Node* Node::Find(std::string_view member) {
  return const_cast<Node*>(static_cast<const Node*>(this)->Find(member));
}

std::string_view Node::StringOf(std::string_view member) const {
  const Node* node = Find(member);
  return node && node->kind == Kind::kString ? node->text : std::string_view();
}

void Canonicalize(Node& node) {
  for (Node& child : node.children) Canonicalize(child);
  if (!node.IsObject()) return;
  auto& members = node.children;
  std::stable_sort(members.begin(), members.end(),
                   [](const Node& a, const Node& b) { return a.key < b.key; });
  size_t kept = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    if (i + 1 < members.size() && members[i].key == members[i + 1].key) continue;
    if (kept != i) members[kept] = std::move(members[i]);
    ++kept;
  }
  members.resize(kept);
}

void AppendNode(std::string& out, const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      out += "null";
      return;
    case Node::Kind::kBool:
    case Node::Kind::kNumber:
      out += node.text;
      return;
    case Node::Kind::kString:
      AppendString(out, node.text);
      return;
    case Node::Kind::kArray: {
      out += '[';
      for (size_t i = 0; i < node.children.size(); ++i) {
        if (i > 0) out += ',';
        AppendNode(out, node.children[i]);
      }
      out += ']';
      return;
    }
    case Node::Kind::kObject: {
      ObjectWriter writer(out);
      for (const Node& child : node.children) {
        writer.Key(child.key);
        AppendNode(out, child);
      }
      writer.End();
      return;
    }
  }
}

bool SplitPointer(std::string_view pointer, std::vector<std::string>& tokens) {
  if (pointer.empty()) return true;
  if (pointer[0] != '/') return false;
  for (size_t i = 0; i < pointer.size(); ++i) {
    const char next = i + 1 < pointer.size() ? pointer[i + 1] : '\0';
    if (pointer[i] == '/') {
      tokens.emplace_back();
    } else if (pointer[i] == '~' && (next == '0' || next == '1')) {
      tokens.back() += next == '0' ? '~' : '/';
      ++i;
    } else {
      tokens.back() += pointer[i];
    }
  }
  return true;
}

const Node* FindPointer(const Node& root, std::string_view pointer) {
  std::vector<std::string> tokens;
  if (!SplitPointer(pointer, tokens)) return nullptr;
  const Node* node = &root;
  for (const std::string& token : tokens) {
    if (node->kind == Node::Kind::kArray) {
      size_t index = 0;
      const char* end = token.data() + token.size();
      const auto [stop, error] = std::from_chars(token.data(), end, index);
      if (error != std::errc() || stop != end || index >= node->children.size()) return nullptr;
      node = &node->children[index];
    } else {
      node = node->Find(token);
    }
    if (!node) return nullptr;
  }
  return node;
}

bool TreeBuilder::String(std::string_view text) {
  if (!IsValidUtf8(text)) {
    status_ = Status::Malformed("a string is not valid UTF-8");
    return false;
  }
  return Leaf(Node::Kind::kString, text);
}

bool TreeBuilder::Key(std::string_view text) {
  if (!IsValidUtf8(text)) {
    status_ = Status::Malformed("a member's name is not valid UTF-8");
    return false;
  }
  key_ = text;
  return true;
}

bool TreeBuilder::Leaf(Node::Kind kind, std::string_view text) {
  Add(kind).text = text;
  done_ = open_.empty();
  return true;
}

bool TreeBuilder::Open(Node::Kind kind) {
  if (open_.size() == kMaxDepth) {
    status_ = Status::Malformed("nested deeper than " + std::to_string(kMaxDepth) + " levels");
    return false;
  }
  open_.push_back(&Add(kind));
  return true;
}

bool TreeBuilder::Close() {
  open_.pop_back();
  done_ = open_.empty();
  return true;
}

// Pointers in open_ stay valid: only the children of the innermost open node grow.
Node& TreeBuilder::Add(Node::Kind kind) {
  Node* node = &root_;
  if (!open_.empty()) {
    node = &open_.back()->children.emplace_back();
    node->key = std::exchange(key_, {});
  }
  node->kind = kind;
  return *node;
}

Node TreeBuilder::Take() {
  Node node = std::move(root_);
  *this = TreeBuilder();
  return node;
}

Result<Document> Document::Parse(std::string text) {
  Document document;
  document.text_ = std::make_unique<std::string>(std::move(text));
  TreeBuilder builder;
  if (Status status = ParseInPlace(*document.text_, builder); !status.ok()) {
    if (builder.status().ok()) return status;
    return builder.status().WithContext("not valid JSON " + status.message());
  }
  document.root_ = builder.Take();
  return document;
}

}  // namespace capstan::json
