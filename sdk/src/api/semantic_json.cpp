#include "api/semantic_json.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/json/json_text.h"
#include "base/text/quantity.h"

namespace capstan::internal {
namespace {

using json::Node;

template <size_t kSize>
bool IsOneOf(std::string_view name, const std::string_view (&names)[kSize]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Maps of names to texts. Their members are data, to which no rule applies.
bool IsTextMap(std::string_view name) {
  static constexpr std::string_view kNames[] = {"labels",         "annotations", "nodeSelector",
                                                "matchLabels",    "options",     "volumeAttributes",
                                                "userAnnotations"};
  return IsOneOf(name, kNames);
}

// Maps of names to quantities (ResourceList).
bool IsQuantityMap(std::string_view name) {
  static constexpr std::string_view kNames[] = {"limits", "requests", "overhead"};
  return IsOneOf(name, kNames);
}

bool IsQuantity(std::string_view name) {
  static constexpr std::string_view kNames[] = {"storage", "sizeLimit", "divisor"};
  return IsOneOf(name, kNames);
}

// Members that are structs, not pointers to structs, in PodTemplateSpec and its parts. `resources`
// is a struct in a container and in the spec of a volume claim, but a pointer in the spec of a pod.
bool IsPlainStruct(std::string_view name, std::string_view parent, std::string_view grandparent) {
  static constexpr std::string_view kNames[] = {"metadata", "spec", "podAffinityTerm",
                                                "preference"};
  if (name == "resources") return parent != "spec" || grandparent == "volumeClaimTemplate";
  return IsOneOf(name, kNames);
}

class Walk {
 public:
  // Appends `node`, the member `name` of the member `parent`, and so on (elements of a list have
  // the name of their list). Returns false, and appends nothing, if its meaning is that of an
  // absent member.
  bool Append(const Node& node, std::string_view name, std::string_view parent,
              std::string_view grandparent) {
    switch (node.kind) {
      case Node::Kind::kNull:
        return false;
      case Node::Kind::kBool:
        out_ += node.text;
        return true;
      case Node::Kind::kNumber:
        AppendNumber(node, name, parent);
        return true;
      case Node::Kind::kString:
        AppendText(node, name, parent);
        return true;
      case Node::Kind::kArray:
        return AppendArray(node, name, parent);
      case Node::Kind::kObject:
        return AppendObject(node, name, parent, grandparent);
    }
    return false;
  }
  std::string Take() { return std::move(out_); }

 private:
  static bool MeansQuantity(std::string_view name, std::string_view parent) {
    return IsQuantity(name) || IsQuantityMap(parent);
  }

  // A quantity may be written as a number or as a text. Both get the same form.
  void AppendNumber(const Node& node, std::string_view name, std::string_view parent) {
    const auto value = text::CanonicalQuantity(node.text);
    if (MeansQuantity(name, parent) && value) return json::AppendString(out_, *value);
    out_ += value ? *value : node.text;
  }
  void AppendText(const Node& node, std::string_view name, std::string_view parent) {
    const auto value =
        MeansQuantity(name, parent) ? text::CanonicalQuantity(node.text) : std::nullopt;
    json::AppendString(out_, value ? *value : node.text);
  }

  bool AppendArray(const Node& node, std::string_view name, std::string_view parent) {
    if (node.children.empty()) return false;
    out_ += '[';
    for (size_t i = 0; i < node.children.size(); ++i) {
      if (i > 0) out_ += ',';
      // An element keeps its position even if it has no meaning.
      const Node& element = node.children[i];
      if (!Append(element, name, parent, {})) out_ += element.IsObject() ? "{}" : "null";
    }
    out_ += ']';
    return true;
  }

  bool AppendObject(const Node& node, std::string_view name, std::string_view parent,
                    std::string_view grandparent) {
    const size_t start = out_.size();
    json::ObjectWriter writer(out_);
    for (const Node& child : node.children) {
      const size_t mark = writer.Mark();
      writer.Key(child.key);
      const bool kept =
          IsTextMap(name) ? AppendDatum(child, name) : Append(child, child.key, name, parent);
      if (!kept) writer.Rewind(mark);
    }
    const bool any = writer.End();
    const bool may_go =
        IsTextMap(name) || IsQuantityMap(name) || IsPlainStruct(name, parent, grandparent);
    if (any || !may_go) return true;
    out_.resize(start);
    return false;
  }

  // Appends a value of a text map. Its name is data, so no rule may apply to it.
  bool AppendDatum(const Node& node, std::string_view map) { return Append(node, {}, map, {}); }

  std::string out_;
};

}  // namespace

std::string SemanticText(const Node& root) {
  Walk walk;
  return walk.Append(root, {}, {}, {}) ? walk.Take() : std::string();
}

}  // namespace capstan::internal
