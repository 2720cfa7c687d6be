#include <capstan/api/field_set.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <capstan/api/descriptor.h>
#include <capstan/runtime/format.h>
#include <capstan/runtime/mutex.h>

#include "api/field_access.h"
#include "api/field_node.h"

namespace capstan {
namespace internal {

bool KeepsKey(const FieldNode::Field& part, std::string_view key) {
  return std::ranges::find(part.keys, key) != part.keys.end();
}

bool KeepsElement(const FieldNode::Field& part, const void* element) {
  if (part.elements.empty()) return true;
  return std::ranges::any_of(part.elements, [element](const FieldNode::Element& wanted) {
    const void* member = MemberOf(*wanted.member, element);
    return wanted.member->kind == FieldKind::kInternedString
               ? As<InternedString>(member) == wanted.value
               : As<std::string>(member) == wanted.value;
  });
}

namespace {

using Field = FieldNode::Field;
using Keep = FieldNode::Keep;
using NodePtr = std::shared_ptr<const FieldNode>;

// A path, split into its first name, the text in brackets after it, and the rest.
struct Segment {
  std::string_view name;
  std::string_view selector;
  bool selects = false;
  bool last = true;
  std::string_view rest;
};

Result<Segment> Cut(std::string_view path) {
  Segment segment;
  const size_t end = std::min(path.find_first_of(".["), path.size());
  segment.name = path.substr(0, end);
  path.remove_prefix(end);
  if (path.starts_with('[')) {
    const size_t close = path.find(']');
    if (close == std::string_view::npos) return Status::InvalidArgument("a [ has no matching ]");
    segment.selects = true;
    segment.selector = path.substr(1, close - 1);
    path.remove_prefix(close + 1);
  }
  if (path.empty()) return segment;
  if (path.front() != '.') return Status::InvalidArgument("a ] must be followed by a .");
  segment.last = false;
  segment.rest = path.substr(1);
  return segment;
}

std::string NamesIn(const TypeDescriptor& type) {
  std::string names;
  for (const FieldDescriptor& field : FieldsOf(type)) {
    if (field.kind == FieldKind::kUnknownMembers) continue;
    names += (names.empty() ? "" : ", ") + std::string(field.json);
  }
  return names;
}

const FieldDescriptor* Find(const TypeDescriptor& type, std::string_view name) {
  const auto fields = FieldsOf(type);
  const auto found = std::ranges::find_if(fields, [name](const FieldDescriptor& field) {
    return field.kind != FieldKind::kUnknownMembers && field.json == name;
  });
  return found == fields.end() ? nullptr : &*found;
}

std::shared_ptr<FieldNode> NewNode(const TypeDescriptor& type, Keep keep) {
  auto node = std::make_shared<FieldNode>();
  node->type = &type;
  node->fields.resize(type.field_count);
  for (Field& field : node->fields) field.keep = keep;
  return node;
}

Field& FieldOf(FieldNode& node, const FieldDescriptor& field) {
  return node.fields[static_cast<size_t>(&field - node.type->fields)];
}

// --- Union ---

template <class T>
void AddMissing(std::vector<T>& to, const std::vector<T>& from) {
  for (const T& value : from) {
    if (std::ranges::find(to, value) == to.end()) to.push_back(value);
  }
}

NodePtr UnionOf(const FieldNode& a, const FieldNode& b);

void Add(const FieldDescriptor& descriptor, Field& to, const Field& from) {
  if (from.keep == Keep::kNone || to.keep == Keep::kAll) return;
  if (to.keep == Keep::kNone || from.keep == Keep::kAll) {
    to = from;
    return;
  }
  if (descriptor.kind == FieldKind::kStringMap) return AddMissing(to.keys, from.keys);
  if (to.elements.empty() || from.elements.empty())
    to.elements.clear();
  else
    AddMissing(to.elements, from.elements);
  to.nested = to.nested && from.nested ? UnionOf(*to.nested, *from.nested) : nullptr;
  if (!to.nested && to.elements.empty()) to = {.keep = Keep::kAll};
}

bool IsAll(const FieldNode& node) {
  return std::ranges::all_of(node.fields, [](const Field& f) { return f.keep == Keep::kAll; });
}

// Returns null if the union has all fields.
NodePtr UnionOf(const FieldNode& a, const FieldNode& b) {
  auto both = std::make_shared<FieldNode>(a);
  for (size_t i = 0; i < both->fields.size(); ++i) {
    Add(a.type->fields[i], both->fields[i], b.fields[i]);
  }
  return IsAll(*both) ? nullptr : both;
}

bool Contains(const FieldNode* a, const FieldNode* b);

bool Contains(const FieldDescriptor& descriptor, const Field& a, const Field& b) {
  if (b.keep == Keep::kNone || a.keep == Keep::kAll) return true;
  if (a.keep == Keep::kNone || b.keep == Keep::kAll) return false;
  const auto all_of = [](const auto& wanted, const auto& there) {
    return std::ranges::all_of(wanted, [&there](const auto& value) {
      return std::ranges::find(there, value) != there.end();
    });
  };
  if (descriptor.kind == FieldKind::kStringMap) return all_of(b.keys, a.keys);
  if (!a.elements.empty() && (b.elements.empty() || !all_of(b.elements, a.elements))) return false;
  return Contains(a.nested.get(), b.nested.get());
}

bool Contains(const FieldNode* a, const FieldNode* b) {
  if (!a) return true;
  if (!b) return false;
  for (size_t i = 0; i < a->fields.size(); ++i) {
    if (!Contains(a->type->fields[i], a->fields[i], b->fields[i])) return false;
  }
  return true;
}

// --- From paths ---

Result<NodePtr> NodeFor(const TypeDescriptor& type, std::string_view path);

Status Select(Field& to, const FieldDescriptor& field, std::string_view selector) {
  if (field.kind == FieldKind::kStringMap && field.shape == FieldShape::kPlain) {
    to.keys = {std::string(selector)};
    return Status::Ok();
  }
  if (field.kind != FieldKind::kObject || field.shape != FieldShape::kList) {
    return Status::InvalidArgument(Format("\"{}\" is not a map or a list of objects", field.json));
  }
  const size_t equals = selector.find('=');
  const FieldDescriptor* member =
      equals == std::string_view::npos ? nullptr : Find(field.nested(), selector.substr(0, equals));
  const bool is_text =
      member && member->shape == FieldShape::kPlain &&
      (member->kind == FieldKind::kInternedString || member->kind == FieldKind::kString);
  if (!is_text) {
    return Status::InvalidArgument(
        Format("[{}] does not select elements: write [MEMBER=VALUE], where the member is a string",
               selector));
  }
  to.elements = {{member, std::string(selector.substr(equals + 1))}};
  return Status::Ok();
}

Status Fill(Field& to, const FieldDescriptor& field, const Segment& segment) {
  if (segment.last && !segment.selects) {
    to.keep = Keep::kAll;
    return Status::Ok();
  }
  to.keep = Keep::kPart;
  if (segment.selects) {
    if (Status status = Select(to, field, segment.selector); !status.ok()) return status;
  }
  if (segment.last) return Status::Ok();
  if (field.kind != FieldKind::kObject) {
    return Status::InvalidArgument(Format("\"{}\" has no described members", field.json));
  }
  Result<NodePtr> nested = NodeFor(field.nested(), segment.rest);
  if (!nested) return nested.status();
  auto node = std::make_shared<FieldNode>(**nested);
  // The members that select elements are read too.
  for (const FieldNode::Element& element : to.elements) {
    FieldOf(*node, *element.member) = {.keep = Keep::kAll};
  }
  to.nested = std::move(node);
  return Status::Ok();
}

Result<NodePtr> NodeFor(const TypeDescriptor& type, std::string_view path) {
  const Result<Segment> segment = Cut(path);
  if (!segment) return segment.status();
  const FieldDescriptor* field = Find(type, segment->name);
  if (!field) {
    return Status::InvalidArgument(
        Format("unknown field \"{}\"; known fields: {}", segment->name, NamesIn(type)));
  }
  auto node = NewNode(type, Keep::kNone);
  if (Status status = Fill(FieldOf(*node, *field), *field, *segment); !status.ok()) return status;
  return NodePtr(std::move(node));
}

// The fields that every set contains.
NodePtr BaseOf(const TypeDescriptor& type) {
  auto node = NewNode(type, Keep::kNone);
  const FieldDescriptor* metadata = type.resource ? Find(type, "metadata") : nullptr;
  if (!metadata || metadata->kind != FieldKind::kObject) return node;
  auto members = NewNode(metadata->nested(), Keep::kAll);
  const FieldDescriptor* annotations = Find(metadata->nested(), "annotations");
  if (annotations) FieldOf(*members, *annotations).keep = Keep::kNone;
  FieldOf(*node, *metadata) = {.keep = annotations ? Keep::kPart : Keep::kAll,
                               .nested = annotations ? members : nullptr};
  return node;
}

// --- To paths ---

void AppendPaths(const FieldNode& node, const std::string& prefix, std::vector<std::string>& out);

void AppendPaths(const Field& part, const std::string& path, std::vector<std::string>& out) {
  for (const std::string& key : part.keys) out.push_back(Format("{}[{}]", path, key));
  std::vector<std::string> selected;
  for (const auto& [member, value] : part.elements) {
    selected.push_back(Format("{}[{}={}]", path, member->json, value));
  }
  if (selected.empty() && part.keys.empty()) selected.push_back(path);
  for (std::string& each : selected) {
    if (part.nested)
      AppendPaths(*part.nested, each + ".", out);
    else
      out.push_back(std::move(each));
  }
}

void AppendPaths(const FieldNode& node, const std::string& prefix, std::vector<std::string>& out) {
  const bool is_metadata = prefix == "metadata.";
  for (size_t i = 0; i < node.fields.size(); ++i) {
    const FieldDescriptor& field = node.type->fields[i];
    const Field& kept = node.fields[i];
    if (is_metadata && std::string_view(field.json) != "annotations") continue;
    if (kept.keep == Keep::kAll) out.push_back(prefix + field.json);
    if (kept.keep == Keep::kPart) AppendPaths(kept, prefix + field.json, out);
  }
}

// --- Registry of sets ---

struct Registry {
  Mutex mutex;
  std::map<std::pair<const TypeDescriptor*, std::vector<std::string>>, NodePtr> nodes
      CAPSTAN_GUARDED_BY(mutex);
};

// Returns null for a set with all fields.
const FieldNode* Shared(NodePtr node) {
  if (!node || IsAll(*node)) return nullptr;
  static Registry* const registry = new Registry;
  std::vector<std::string> paths;
  AppendPaths(*node, "", paths);
  std::ranges::sort(paths);
  MutexLock lock(registry->mutex);
  return registry->nodes.try_emplace({node->type, std::move(paths)}, node).first->second.get();
}

}  // namespace
}  // namespace internal

Result<FieldSet> FieldSet::Of(const TypeDescriptor& type, std::span<const std::string_view> paths) {
  internal::NodePtr all = internal::BaseOf(type);
  for (const std::string_view path : paths) {
    const auto node = internal::NodeFor(type, path);
    if (!node) return node.status().WithContext(Format("\"{}\"", path));
    if (all) all = internal::UnionOf(*all, **node);
  }
  return FieldSet(internal::Shared(std::move(all)));
}

FieldSet FieldSet::Union(const FieldSet& other) const {
  if (*this == other) return *this;
  if (!node_ || !other.node_ || node_->type != other.node_->type) return {};
  return FieldSet(internal::Shared(internal::UnionOf(*node_, *other.node_)));
}

bool FieldSet::Contains(const FieldSet& other) const {
  return internal::Contains(node_, other.node_);
}

std::vector<std::string> FieldSet::Paths() const {
  std::vector<std::string> paths;
  if (node_) internal::AppendPaths(*node_, "", paths);
  return paths;
}

}  // namespace capstan
