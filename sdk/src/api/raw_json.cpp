#include <capstan/api/raw_json.h>

#include <atomic>
#include <charconv>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "api/hashing.h"
#include "api/packed_text.h"
#include "api/raw_json_access.h"
#include "api/semantic_json.h"
#include "api/text_family.h"
#include "base/json/json_text.h"
#include "base/json/json_tree.h"
#include "base/tls/sha256.h"

namespace capstan {

using internal::TextFamily;
using json::Node;

namespace {

// Alone a packed text takes about a seventh of its size. A difference that is not smaller than
// this part is not worth the base that it keeps in memory.
constexpr size_t kWorthABase = 10;

std::string MeaningOf(const RawJson& raw) {
  return internal::SemanticText(RawJsonAccess::ToDocument(raw).root());
}

}  // namespace

struct RawJson::Text {
  std::atomic<uint32_t> references;
  uint32_t size;               // of the bytes that follow this struct
  uint32_t text_size;          // of the text
  std::atomic<uint64_t> hash;  // 0 until it is computed
  TextFamily* family;          // the bytes are the difference to its base; or null

  char* data() { return reinterpret_cast<char*>(this + 1); }
  std::string_view bytes() { return {data(), size}; }
  // Whether the bytes are not the text itself.
  bool packed() const { return family || size != text_size; }
  std::string Unpacked() {
    if (!family) return internal::Unpack(bytes(), text_size);
    // Without a difference the text is the base.
    return size == 0 ? family->base() : internal::Unpack(bytes(), text_size, family->base());
  }

  // Takes over the reference to the family.
  static Text* Make(std::string_view bytes, size_t text_size, TextFamily* family = nullptr) {
    void* memory = ::operator new(sizeof(Text) + bytes.size());
    auto* text = ::new (memory)
        Text{1, static_cast<uint32_t>(bytes.size()), static_cast<uint32_t>(text_size), 0, family};
    if (!bytes.empty()) std::memcpy(text->data(), bytes.data(), bytes.size());
    return text;
  }
  // Returns null if `text` does not resemble the base of the family.
  static Text* MakeInFamily(std::string_view text, uint64_t key) {
    TextFamily& family = TextFamily::Join(key, text);
    const std::string base = family.base();
    if (base == text) return Make({}, text.size(), &family);
    const auto packed = internal::Pack(text, base);
    if (packed && packed->size() <= text.size() / kWorthABase) {
      return Make(*packed, text.size(), &family);
    }
    TextFamily::Leave(&family);
    return nullptr;
  }
  static void Drop(Text* text) {
    if (!text || text->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    TextFamily::Leave(text->family);
    text->~Text();
    ::operator delete(text);
  }
};

RawJson RawJsonAccess::FromCanonicalText(std::string_view text) {
  RawJson raw;
  if (!text.empty()) raw.text_ = RawJson::Text::Make(text, text.size());
  return raw;
}

RawJson RawJsonAccess::Packed(const RawJson& raw, uint64_t family) {
  if (!raw.text_ || raw.text_->packed() || raw.text_->size < internal::kShortestPacked) return raw;
  RawJson result;
  if (family != 0) result.text_ = RawJson::Text::MakeInFamily(raw.text_->bytes(), family);
  if (result.text_) return result;
  const auto packed = internal::Pack(raw.text_->bytes());
  if (!packed) return raw;
  result.text_ = RawJson::Text::Make(*packed, raw.text_->size);
  return result;
}

RawJson RawJsonAccess::FromNode(Node& node) {
  if (node.kind == Node::Kind::kNull) return {};
  json::Canonicalize(node);
  std::string text;
  json::AppendNode(text, node);
  return FromCanonicalText(text);
}

json::Document RawJsonAccess::ToDocument(const RawJson& raw) {
  auto document = json::Document::Parse(raw.empty() ? "null" : raw.text());
  return document.ok() ? std::move(document).value() : json::Document();
}

RawJson::RawJson(const RawJson& other) : text_(other.text_) {
  if (text_) text_->references.fetch_add(1, std::memory_order_relaxed);
}

RawJson& RawJson::operator=(const RawJson& other) {
  if (text_ != other.text_) *this = RawJson(other);
  return *this;
}

RawJson& RawJson::operator=(RawJson&& other) noexcept {
  if (this != &other) Text::Drop(std::exchange(text_, std::exchange(other.text_, nullptr)));
  return *this;
}

RawJson::~RawJson() { Text::Drop(text_); }

std::string RawJson::text() const {
  if (!text_) return {};
  return text_->packed() ? text_->Unpacked() : std::string(text_->bytes());
}

Result<RawJson> RawJson::Parse(std::string_view text) {
  auto document = json::Document::Parse(std::string(text));
  if (!document) return document.status();
  return RawJsonAccess::FromNode(document->root());
}

RawJson RawJson::String(std::string_view value) {
  std::string text;
  json::AppendString(text, value);
  return RawJsonAccess::FromCanonicalText(text);
}

RawJson RawJson::Int(int64_t value) {
  return RawJsonAccess::FromCanonicalText(std::to_string(value));
}

RawJson RawJson::Object(const StringMap& members) {
  std::string text;
  json::ObjectWriter writer(text);
  for (const auto& [key, value] : members) {
    writer.Key(key);
    json::AppendString(text, value);
  }
  writer.End();
  return RawJsonAccess::FromCanonicalText(text);
}

RawJson RawJson::At(std::string_view pointer) const {
  if (pointer.empty()) return *this;
  json::Document document = RawJsonAccess::ToDocument(*this);
  const Node* found = json::FindPointer(document.root(), pointer);
  return found ? RawJsonAccess::FromNode(*const_cast<Node*>(found)) : RawJson();
}

std::optional<std::string> RawJson::StringAt(std::string_view pointer) const {
  const json::Document document = RawJsonAccess::ToDocument(*this);
  const Node* found = json::FindPointer(document.root(), pointer);
  if (!found || found->kind != Node::Kind::kString) return std::nullopt;
  return std::string(found->text);
}

StringMap RawJson::StringMapAt(std::string_view pointer) const {
  const json::Document document = RawJsonAccess::ToDocument(*this);
  const Node* found = json::FindPointer(document.root(), pointer);
  if (!found || !found->IsObject()) return {};
  std::vector<std::pair<std::string_view, std::string_view>> entries;
  for (const Node& child : found->children) {
    if (child.kind == Node::Kind::kString) entries.emplace_back(child.key, child.text);
  }
  return StringMap(entries);
}

namespace {

// The element of `array` that `token` names; null if there is none.
Node* Element(Node& array, const std::string& token) {
  size_t index = 0;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, index);
  const bool found = error == std::errc() && stop == end && index < array.children.size();
  return found ? &array.children[index] : nullptr;
}

// The child of `node` that `token` names. A missing member of an object is created, and "-" appends
// an element to a list. Returns null if there can be no such child.
Node* MakeChild(Node& node, const std::string& token) {
  if (node.kind == Node::Kind::kNull) node.kind = Node::Kind::kObject;
  if (node.kind == Node::Kind::kArray) {
    return token == "-" ? &node.children.emplace_back() : Element(node, token);
  }
  if (!node.IsObject()) return nullptr;
  if (Node* child = node.Find(token)) return child;
  Node& child = node.children.emplace_back();
  child.key = token;
  return &child;
}

}  // namespace

RawJson RawJson::With(std::string_view pointer, const RawJson& value) const {
  if (value.empty()) return Without(pointer);
  std::vector<std::string> tokens;
  if (!json::SplitPointer(pointer, tokens)) return *this;
  json::Document document = RawJsonAccess::ToDocument(*this);
  json::Document addition = RawJsonAccess::ToDocument(value);
  Node* node = &document.root();
  for (const std::string& token : tokens) {
    node = MakeChild(*node, token);
    if (!node) return *this;
  }
  const std::string_view key = node->key;
  *node = std::move(addition.root());
  node->key = key;
  return RawJsonAccess::FromNode(document.root());
}

RawJson RawJson::Without(std::string_view pointer) const {
  std::vector<std::string> tokens;
  if (pointer.empty() || !json::SplitPointer(pointer, tokens)) return {};
  json::Document document = RawJsonAccess::ToDocument(*this);
  const size_t slash = pointer.rfind('/');
  const Node* found = json::FindPointer(document.root(), pointer);
  if (!found) return *this;
  auto* parent = const_cast<Node*>(json::FindPointer(document.root(), pointer.substr(0, slash)));
  parent->children.erase(parent->children.begin() + (found - parent->children.data()));
  return RawJsonAccess::FromNode(document.root());
}

uint64_t RawJson::SemanticHash() const {
  if (!text_) return internal::HashText("");
  uint64_t hash = text_->hash.load(std::memory_order_relaxed);
  if (hash == 0) {
    hash = internal::HashText(MeaningOf(*this));
    // Two threads may both compute it, with the same result.
    text_->hash.store(hash, std::memory_order_relaxed);
  }
  return hash;
}

std::string RawJson::SemanticDigest() const { return tls::Sha256(MeaningOf(*this)); }

bool SemanticallyEqual(const RawJson& a, const RawJson& b) {
  if (a == b) return true;
  if (a.SemanticHash() != b.SemanticHash()) return false;
  return MeaningOf(a) == MeaningOf(b);
}

bool operator==(const RawJson& a, const RawJson& b) {
  if (a.text_ == b.text_) return true;
  if (!a.text_ || !b.text_ || a.text_->text_size != b.text_->text_size) return false;
  const bool comparable = a.text_->family == b.text_->family;
  return (comparable && a.text_->bytes() == b.text_->bytes()) || a.text() == b.text();
}

}  // namespace capstan
