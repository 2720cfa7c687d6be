#include "api/json_events.h"

#include <cstddef>
#include <cstring>

namespace capstan::internal {

bool JsonEvents::Add(Kind kind, std::string_view text) {
  const size_t length = text.size();
  char head[1 + sizeof(length)] = {static_cast<char>(kind)};
  std::memcpy(head + 1, &length, sizeof(length));
  bytes_.append(head, sizeof(head)).append(text);
  return true;
}

Result<json::Node> JsonEvents::ToTree() const {
  json::TreeBuilder tree;
  std::string_view rest = bytes_;
  const auto text = [&rest] {
    size_t length = 0;
    std::memcpy(&length, rest.data(), sizeof(length));
    const std::string_view found = rest.substr(sizeof(length), length);
    rest.remove_prefix(sizeof(length) + length);
    return found;
  };
  bool good = true;
  while (good && !rest.empty()) {
    const auto kind = static_cast<Kind>(rest.front());
    rest.remove_prefix(1);
    switch (kind) {
      case Kind::kNull:
        good = tree.Null();
        break;
      case Kind::kFalse:
      case Kind::kTrue:
        good = tree.Bool(kind == Kind::kTrue);
        break;
      case Kind::kNumber:
        good = tree.Number(text());
        break;
      case Kind::kString:
        good = tree.String(text());
        break;
      case Kind::kKey:
        good = tree.Key(text());
        break;
      case Kind::kStartObject:
        good = tree.StartObject();
        break;
      case Kind::kStartArray:
        good = tree.StartArray();
        break;
      case Kind::kEnd:
        good = tree.EndObject();  // a tree handles the end of an array in the same way
        break;
    }
  }
  if (!good) return tree.status();
  return tree.Take();
}

}  // namespace capstan::internal
