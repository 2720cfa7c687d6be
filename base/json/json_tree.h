#pragma once

// A JSON value as a tree, for the few parts that are looked into without a descriptor.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

namespace capstan::json {

struct Node {
  enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  std::string_view key;   // in the object around it
  std::string_view text;  // a string unescaped; a number or bool as written
  std::vector<Node> children;

  bool IsObject() const { return kind == Kind::kObject; }
  // An object's member, or null.
  const Node* Find(std::string_view member) const;
  Node* Find(std::string_view member);
  // The string that member `member` is, or "".
  std::string_view StringOf(std::string_view member) const;
};

// Sorts the members of all objects; of members with the same key the last one stays.
void Canonicalize(Node& node);
// Appends `node` without white space, members in their present order.
void AppendNode(std::string& out, const Node& node);

// The value at a JSON Pointer (RFC 6901), or null.
const Node* FindPointer(const Node& root, std::string_view pointer);
// Splits a JSON Pointer into unescaped tokens; false when it is none ("/" first, or "").
bool SplitPointer(std::string_view pointer, std::vector<std::string>& tokens);

// Makes a Node of the events of one value. (A handler for ParseInPlace.)
class TreeBuilder {
 public:
  // Deeper values are refused: trees are walked recursively.
  static constexpr size_t kMaxDepth = 1000;

  bool Null() { return Leaf(Node::Kind::kNull, "null"); }
  bool Bool(bool value) { return Leaf(Node::Kind::kBool, value ? "true" : "false"); }
  bool Number(std::string_view text) { return Leaf(Node::Kind::kNumber, text); }
  bool String(std::string_view text);
  bool Key(std::string_view text);
  bool StartObject() { return Open(Node::Kind::kObject); }
  bool EndObject() { return Close(); }
  bool StartArray() { return Open(Node::Kind::kArray); }
  bool EndArray() { return Close(); }

  // Whether a whole value has been read.
  bool done() const { return done_; }
  // Why an event was answered with false.
  const Status& status() const { return status_; }
  // The value; the builder is as new afterwards.
  Node Take();

 private:
  bool Leaf(Node::Kind kind, std::string_view text);
  bool Open(Node::Kind kind);
  bool Close();
  Node& Add(Node::Kind kind);

  Node root_;
  std::vector<Node*> open_;
  std::string_view key_;
  bool done_ = false;
  Status status_;
};

// A parsed text and its tree.
class Document {
 public:
  // The text must be one JSON value of valid UTF-8.
  static Result<Document> Parse(std::string text);
  const Node& root() const { return root_; }
  Node& root() { return root_; }

 private:
  std::unique_ptr<std::string> text_;  // what the tree's views point into
  Node root_;
};

}  // namespace capstan::json
