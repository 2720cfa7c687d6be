#include "client/auth/kubeconfig_file.h"

#include <filesystem>
#include <utility>
#include <variant>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "base/text/base64.h"
#include "client/auth/kubeconfig_json.h"

namespace capstan::client {
namespace {

// A kubeconfig of many clusters has thousands of nodes.
constexpr yaml::Options kLimits{.max_nodes = 500'000, .max_depth = 100, .one_document = false};

// Returns a null node for a null pointer.
const yaml::Node& OrNull(const yaml::Node* node) {
  static const yaml::Node null;
  return node == nullptr ? null : *node;
}

Status Bad(const std::string& path, std::string_view where, std::string_view reason) {
  return Status::InvalidArgument(
      Format("kubeconfig {}: {}{}{}", path, where, where.empty() ? "" : ": ", reason));
}

// Reads `clusters`, `users` or `contexts`: a list of names, each with a mapping under `key`.
Status ReadEntries(const yaml::Node& root, const std::string& path, const char* list,
                   const char* key, KubeconfigEntries& entries) {
  const yaml::Node& node = OrNull(root.Find(list));
  if (node.IsNull()) return Status::Ok();
  if (!node.IsList()) return Bad(path, list, "must be a list");
  for (size_t i = 0; i < node.items.size(); ++i) {
    const std::string where = Format("{}[{}]", list, i);
    const yaml::Node& item = node.items[i];
    if (!item.IsMap()) return Bad(path, where, "must be a mapping");
    const yaml::Node& name = OrNull(item.Find("name"));
    if (!name.IsScalar() || name.text.empty()) {
      return Bad(path, where + ".name", "must be set");
    }
    const yaml::Node& body = OrNull(item.Find(key));
    const std::string entry = Format("{}[\"{}\"]", list, name.text);
    if (!body.IsNull() && !body.IsMap()) {
      return Bad(path, Format("{}.{}", entry, key), "must be a mapping");
    }
    if (!entries.emplace(name.text, KubeconfigEntry{path, body}).second)
      return Bad(path, entry, "this name appears twice");
  }
  return Status::Ok();
}

Status CheckType(const yaml::Node& root, const std::string& path) {
  const auto check = [&](const char* field, std::string_view want) {
    const yaml::Node& node = OrNull(root.Find(field));
    if (node.IsNull()) return Status::Ok();
    if (node.IsScalar() && (node.text.empty() || node.text == want)) return Status::Ok();
    return Bad(path, field, Format("must be {}", want));
  };
  Status status = check("apiVersion", "v1");
  return status.ok() ? check("kind", "Config") : status;
}

Result<Kubeconfig> ParseRoot(const yaml::Node& root, const std::string& path) {
  Kubeconfig config;
  if (root.IsNull()) return config;
  if (!root.IsMap()) return Bad(path, "", "must be a mapping");
  Status status = CheckType(root, path);
  if (status.ok()) status = ReadEntries(root, path, "clusters", "cluster", config.clusters);
  if (status.ok()) status = ReadEntries(root, path, "users", "user", config.users);
  if (status.ok()) status = ReadEntries(root, path, "contexts", "context", config.contexts);
  if (!status.ok()) return status;
  const yaml::Node& current = OrNull(root.Find("current-context"));
  if (current.IsNull()) return config;
  if (!current.IsScalar()) return Bad(path, "current-context", "must be a string");
  config.current_context = current.text;
  config.current_context_file = path;
  return config;
}

std::string YamlErrorText(const yaml::Error& error) {
  switch (error.kind) {
    case yaml::Error::Kind::kSelfReference:
      return "the anchor contains itself";
    case yaml::Error::Kind::kTooManyNodes:
      return "too large";
    case yaml::Error::Kind::kTooDeep:
      return "nested too deeply";
    default:
      return Format("not YAML: {}", error.text);
  }
}

}  // namespace

void Kubeconfig::Merge(const Kubeconfig& other) {
  clusters.insert(other.clusters.begin(), other.clusters.end());
  users.insert(other.users.begin(), other.users.end());
  contexts.insert(other.contexts.begin(), other.contexts.end());
  if (!current_context.empty()) return;
  current_context = other.current_context;
  current_context_file = other.current_context_file;
}

Result<Kubeconfig> ParseKubeconfig(const std::string& text, const std::string& path) {
  auto parsed = yaml::Parse(text, kLimits);
  if (auto* const root = std::get_if<yaml::Node>(&parsed)) {
    // kubectl uses the last value, too.
    for (const yaml::Node& key : yaml::RemoveRepeatedKeys(*root)) {
      LogWarning("A key of the kubeconfig is repeated: the last value is used",
                 {{"file", path}, {"key", key.text}, {"line", key.line}});
    }
    return ParseRoot(*root, path);
  }
  const auto& error = std::get<yaml::Error>(parsed);
  return Bad(path, error.line == 0 ? "" : Format("line {}", error.line), YamlErrorText(error));
}

FieldReader::FieldReader(const KubeconfigEntry& entry, std::string where)
    : file_(entry.file),
      where_(std::move(where)),
      node_(&entry.body),
      status_(std::make_shared<Status>()) {}

FieldReader::FieldReader(const FieldReader& parent, const yaml::Node& node, std::string where)
    : file_(parent.file_), where_(std::move(where)), node_(&node), status_(parent.status_) {}

void FieldReader::Fail(std::string_view field, std::string_view reason) {
  if (!status_->ok()) return;
  *status_ = Bad(file_, field.empty() ? where_ : Format("{}.{}", where_, field), reason);
}

void FieldReader::Check(std::string_view field, const Status& status) {
  if (!status.ok()) Fail(field, status.message());
}

const yaml::Node& FieldReader::Child(const char* field) const { return OrNull(node_->Find(field)); }

std::string FieldReader::Scalar(const yaml::Node& node, std::string_view field) {
  if (node.IsNull()) return "";
  if (node.IsScalar()) return status_->ok() ? node.text : "";
  Fail(field, "must be a string");
  return "";
}

bool FieldReader::Has(const char* field) const { return !Child(field).IsNull(); }

std::string FieldReader::String(const char* field) { return Scalar(Child(field), field); }

bool FieldReader::Bool(const char* field) {
  const yaml::Node& node = Child(field);
  const bool is_quoted = !node.plain && node.tag.empty();
  const std::string text = node.IsScalar() && is_quoted ? "" : Scalar(node, field);
  if (text == "true" || text == "True" || text == "TRUE") return true;
  const bool is_false = text == "false" || text == "False" || text == "FALSE";
  if (!node.IsNull() && !is_false) Fail(field, "must be true or false");
  return false;
}

std::string FieldReader::Data(const char* field) {
  const std::string text = String(field);
  std::optional<std::string> bytes = text::DecodeBase64(text);
  if (!bytes) {
    Fail(field, "not base64");
    return "";
  }
  return *std::move(bytes);
}

std::string FieldReader::ResolvePath(const std::string& path) const {
  const std::filesystem::path given(path);
  if (given.is_absolute()) return path;
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute(file_, error).parent_path();
  return (folder / given).lexically_normal().string();
}

std::string FieldReader::Path(const char* field) {
  const std::string path = String(field);
  return path.empty() ? path : ResolvePath(path);
}

std::vector<std::string> FieldReader::Strings(const char* field) {
  const yaml::Node& node = Child(field);
  std::vector<std::string> strings;
  if (node.IsNull()) return strings;
  if (!node.IsList()) {
    Fail(field, "must be a list of strings");
    return strings;
  }
  for (size_t i = 0; i < node.items.size(); ++i) {
    strings.push_back(Scalar(node.items[i], Format("{}[{}]", field, i)));
  }
  return strings;
}

std::vector<FieldReader> FieldReader::List(const char* field) {
  const yaml::Node& node = Child(field);
  std::vector<FieldReader> readers;
  if (node.IsNull()) return readers;
  if (!node.IsList()) {
    Fail(field, "must be a list");
    return readers;
  }
  for (size_t i = 0; i < node.items.size(); ++i) {
    const std::string where = Format("{}.{}[{}]", where_, field, i);
    if (!node.items[i].IsMap()) Fail(Format("{}[{}]", field, i), "must be a mapping");
    readers.push_back(FieldReader(*this, node.items[i], where));
  }
  return readers;
}

FieldReader FieldReader::Map(const char* field) {
  const yaml::Node& node = Child(field);
  if (!node.IsNull() && !node.IsMap()) Fail(field, "must be a mapping");
  return FieldReader(*this, node, Format("{}.{}", where_, field));
}

std::vector<std::string> FieldReader::Keys() {
  std::vector<std::string> keys;
  for (const yaml::Node& key : node_->keys) {
    if (key.IsScalar()) keys.push_back(key.text);
  }
  return keys;
}

std::string FieldReader::Json(const char* field) {
  Result<std::string> json = YamlToJson(Child(field));
  if (json) return *std::move(json);
  Check(field, json.status());
  return "";
}

}  // namespace capstan::client
