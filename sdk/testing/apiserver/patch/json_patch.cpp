// ApplyJsonPatch (patch.h).

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "apiserver/codec/json_syntax.h"
#include "apiserver/http/api_errors.h"
#include "apiserver/patch/patch.h"

namespace capstan::testing::server {
namespace {

constexpr size_t kMaxOperations = 10'000;
// Limits the growth from copies of copies.
constexpr size_t kMaxCopiedValues = 1'000'000;

// The API's error does not say which operation failed or why.
Status Rejected() {
  Status::Details details;
  details.reason = StatusReason::kInvalid;
  details.http_code = 422;
  details.message = "the server rejected our request due to an error in our request";
  return Status(std::move(details));
}

size_t CountValues(const json::Value& value) {
  size_t count = 1;
  for (const json::Value& item : value.items()) count += CountValues(item);
  for (const json::Member& member : value.members()) count += CountValues(member.value);
  return count;
}

size_t DepthOf(const json::Value& value) {
  size_t depth = 0;
  for (const json::Value& item : value.items()) depth = std::max(depth, DepthOf(item));
  for (const json::Member& member : value.members()) {
    depth = std::max(depth, DepthOf(member.value));
  }
  return depth + 1;
}

// Whether adding this value at this path makes the document too deep for recursion. Copies into
// each other increase the depth.
bool IsTooDeep(const std::string& path, const json::Value& value) {
  const auto keys = static_cast<size_t>(std::count(path.begin(), path.end(), '/'));
  return keys + DepthOf(value) > json::kMaxValueDepth;
}

// Decodes "~1" to "/" and "~0" to "~".
std::string Unescape(std::string_view token) {
  std::string key;
  for (size_t i = 0; i < token.size(); ++i) {
    const bool escape =
        token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
    key += !escape ? token[i] : token[i + 1] == '0' ? '~' : '/';
    if (escape) ++i;
  }
  return key;
}

// Returns the keys of a JSON Pointer (RFC 6901), or nullopt if it is not the path of a member.
std::optional<std::vector<std::string>> KeysOf(std::string_view pointer) {
  const size_t start = pointer.find('/');
  if (start == std::string_view::npos) return std::nullopt;
  std::vector<std::string> keys;
  pointer.remove_prefix(start + 1);
  for (;;) {
    const size_t end = std::min(pointer.find('/'), pointer.size());
    keys.push_back(Unescape(pointer.substr(0, end)));
    if (end == pointer.size()) return keys;
    pointer.remove_prefix(end + 1);
  }
}

// Returns the index in a list of `size` items. To allow appending, pass a size that is larger by
// one.
std::optional<size_t> IndexOf(std::string_view key, size_t size) {
  if (!key.empty() && key[0] == '+') key.remove_prefix(1);
  int64_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  if (error != std::errc() || end != key.data() + key.size()) return std::nullopt;
  const auto count = static_cast<int64_t>(size);
  if (index < 0) index += count;
  if (index < 0 || index >= count) return std::nullopt;
  return static_cast<size_t>(index);
}

// Returns the member or item to change, or null if there is none.
json::Value* ChildOf(json::Value& parent, const std::string& key) {
  if (parent.IsArray()) {
    const std::optional<size_t> index = IndexOf(key, parent.items().size());
    return index ? &parent.MutableItems()[*index] : nullptr;
  }
  return parent.Find(key) ? &parent.Mutable(key) : nullptr;
}

// Applies operations to a document. Each method returns whether the operation succeeded.
class JsonPatcher {
 public:
  explicit JsonPatcher(const json::Value& document) : document_(document) {}

  bool Run(const json::Value& operation) {
    const json::Value& name = operation.Get("op");
    const std::string& op = name.AsString();
    const json::Value& path = operation.Get("path");
    const json::Value& value = operation.Get("value");
    if (!name.IsString() || !path.IsString()) return false;
    if (op == "add") return Add(path.AsString(), value);
    if (op == "remove") return Remove(path.AsString());
    if (op == "replace") return Replace(path.AsString(), value);
    if (op == "test") return Test(path.AsString(), value);
    const json::Value& from = operation.Get("from");
    if (!from.IsString()) return false;
    if (op == "move") return Move(from.AsString(), path.AsString());
    if (op == "copy") return Copy(from.AsString(), path.AsString());
    return false;
  }
  json::Value Take() { return std::move(document_); }

 private:
  // A container in the document, and the last key of a path.
  struct Place {
    json::Value* parent = nullptr;
    std::string key;
  };

  Place Find(const std::string& path) {
    std::optional<std::vector<std::string>> keys = KeysOf(path);
    if (!keys) return {};
    json::Value* parent = &document_;
    for (size_t i = 0; parent && i + 1 < keys->size(); ++i) parent = ChildOf(*parent, (*keys)[i]);
    if (!parent || (!parent->IsObject() && !parent->IsArray())) return {};
    return {parent, std::move(keys->back())};
  }

  // Returns the value at a place: null if an object has no such member, nullopt if a list has no
  // such index.
  static std::optional<json::Value> ValueAt(const Place& place) {
    if (place.parent->IsObject()) return place.parent->Get(place.key);
    const std::optional<size_t> index = IndexOf(place.key, place.parent->items().size());
    if (!index) return std::nullopt;
    return place.parent->items()[*index];
  }

  static bool AddAt(const Place& place, json::Value value) {
    if (place.parent->IsObject()) {
      place.parent->Set(place.key, std::move(value));
      return true;
    }
    const size_t size = place.parent->items().size();
    const std::optional<size_t> index = place.key == "-" ? size : IndexOf(place.key, size + 1);
    if (!index) return false;
    json::Value::Items& items = place.parent->MutableItems();
    items.insert(items.begin() + static_cast<ptrdiff_t>(*index), std::move(value));
    return true;
  }

  static bool RemoveAt(const Place& place) {
    if (place.parent->IsObject()) return place.parent->Erase(place.key);
    const std::optional<size_t> index = IndexOf(place.key, place.parent->items().size());
    if (!index) return false;
    json::Value::Items& items = place.parent->MutableItems();
    items.erase(items.begin() + static_cast<ptrdiff_t>(*index));
    return true;
  }

  bool Add(const std::string& path, const json::Value& value) {
    if (IsTooDeep(path, value)) return false;
    const Place place = Find(path);
    return place.parent && AddAt(place, value);
  }

  bool Remove(const std::string& path) {
    const Place place = Find(path);
    return place.parent && RemoveAt(place);
  }

  bool Replace(const std::string& path, const json::Value& value) {
    if (IsTooDeep(path, value)) return false;
    if (path.empty()) {
      if (!value.IsObject() && !value.IsArray()) return false;
      document_ = value;
      return true;
    }
    const Place place = Find(path);
    if (!place.parent) return false;
    if (place.parent->IsObject()) return AddAt(place, value);
    json::Value* item = ChildOf(*place.parent, place.key);
    if (item) *item = value;
    return item != nullptr;
  }

  bool Test(const std::string& path, const json::Value& value) {
    if (path.empty()) return document_ == value;
    const Place place = Find(path);
    if (!place.parent) return false;
    const std::optional<json::Value> found = ValueAt(place);
    return found && *found == value;
  }

  bool Move(const std::string& from, const std::string& path) {
    const Place source = Find(from);
    if (!source.parent) return false;
    const std::optional<json::Value> value = ValueAt(source);
    return value && RemoveAt(source) && Add(path, *value);
  }

  bool Copy(const std::string& from, const std::string& path) {
    const Place source = Find(from);
    if (!source.parent) return false;
    const std::optional<json::Value> value = ValueAt(source);
    if (!value) return false;
    copied_ += CountValues(*value);
    return copied_ <= kMaxCopiedValues && Add(path, *value);
  }

  json::Value document_;
  size_t copied_ = 0;
};

}  // namespace

Result<json::Value> ApplyJsonPatch(const json::Value& target, const json::Value& patch) {
  if (patch.IsNull()) return target;
  if (!patch.IsArray()) {
    return BadRequestError("error decoding patch: json: cannot unmarshal " +
                           std::string(JsonName(patch)) +
                           " into Go value of type []handlers.jsonPatchOp");
  }
  for (const json::Value& operation : patch.items()) {
    if (operation.IsObject() || operation.IsNull()) continue;
    return BadRequestError("error decoding patch: json: cannot unmarshal " +
                           std::string(JsonName(operation)) +
                           " into Go value of type handlers.jsonPatchOp");
  }
  for (const json::Value& operation : patch.items()) {
    for (const char* name : {"op", "path", "from"}) {
      const json::Value& text = operation.Get(name);
      if (text.IsString() || text.IsNull()) continue;
      return BadRequestError("error decoding patch: json: cannot unmarshal " +
                             std::string(JsonName(text)) + " into Go struct field jsonPatchOp." +
                             name + " of type string");
    }
  }
  if (patch.items().size() > kMaxOperations) {
    return RequestTooLargeError("The allowed maximum operations in a JSON patch is " +
                                std::to_string(kMaxOperations) + ", got " +
                                std::to_string(patch.items().size()));
  }
  JsonPatcher patcher(target);
  for (const json::Value& operation : patch.items()) {
    if (!patcher.Run(operation)) return Rejected();
  }
  return patcher.Take();
}

}  // namespace capstan::testing::server
