#include "client/auth/kubeconfig_file.h"

#include <filesystem>
#include <utility>

#include <capstan/runtime/format.h>

#include "base/text/base64.h"
#include "client/auth/kubeconfig_json.h"

namespace capstan::client {
namespace {

bool IsAbsent(const YAML::Node& node) { return !node.IsDefined() || node.IsNull(); }

Status Bad(const std::string& path, std::string_view where, std::string_view reason) {
  return Status::InvalidArgument(
      Format("kubeconfig {}: {}{}{}", path, where, where.empty() ? "" : ": ", reason));
}

// Reads `clusters`, `users` or `contexts`: a list of names with one mapping each, under `key`.
Status ReadEntries(const YAML::Node& root, const std::string& path, const char* list,
                   const char* key, KubeconfigEntries& entries) {
  const YAML::Node node = root[list];
  if (IsAbsent(node)) return Status::Ok();
  if (!node.IsSequence()) return Bad(path, list, "must be a list");
  for (size_t i = 0; i < node.size(); ++i) {
    const std::string where = Format("{}[{}]", list, i);
    const YAML::Node item = node[i];
    if (!item.IsMap()) return Bad(path, where, "must be a mapping");
    const YAML::Node name = item["name"];
    if (IsAbsent(name) || !name.IsScalar() || name.Scalar().empty()) {
      return Bad(path, where + ".name", "must be set");
    }
    const YAML::Node body = item[key];
    const std::string entry = Format("{}[\"{}\"]", list, name.Scalar());
    if (!IsAbsent(body) && !body.IsMap()) {
      return Bad(path, Format("{}.{}", entry, key), "must be a mapping");
    }
    const bool added =
        entries.emplace(name.Scalar(), KubeconfigEntry{path, IsAbsent(body) ? YAML::Node() : body})
            .second;
    if (!added) return Bad(path, entry, "this name appears twice");
  }
  return Status::Ok();
}

Status CheckType(const YAML::Node& root, const std::string& path) {
  const auto check = [&](const char* field, std::string_view want) {
    const YAML::Node node = root[field];
    if (IsAbsent(node)) return Status::Ok();
    if (node.IsScalar() && (node.Scalar().empty() || node.Scalar() == want)) return Status::Ok();
    return Bad(path, field, Format("must be {}", want));
  };
  Status status = check("apiVersion", "v1");
  return status.ok() ? check("kind", "Config") : status;
}

Result<Kubeconfig> ParseRoot(const YAML::Node& root, const std::string& path) {
  Kubeconfig config;
  if (IsAbsent(root)) return config;
  if (!root.IsMap()) return Bad(path, "", "must be a mapping");
  Status status = CheckType(root, path);
  if (status.ok()) status = ReadEntries(root, path, "clusters", "cluster", config.clusters);
  if (status.ok()) status = ReadEntries(root, path, "users", "user", config.users);
  if (status.ok()) status = ReadEntries(root, path, "contexts", "context", config.contexts);
  if (!status.ok()) return status;
  const YAML::Node current = root["current-context"];
  if (IsAbsent(current)) return config;
  if (!current.IsScalar()) return Bad(path, "current-context", "must be a string");
  config.current_context = current.Scalar();
  config.current_context_file = path;
  return config;
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
  try {
    return ParseRoot(YAML::Load(text), path);
  } catch (const YAML::Exception& exception) {
    return Bad(path, exception.mark.is_null() ? "" : Format("line {}", exception.mark.line + 1),
               Format("not YAML: {}", exception.msg));
  }
}

FieldReader::FieldReader(const KubeconfigEntry& entry, std::string where)
    : file_(entry.file),
      where_(std::move(where)),
      node_(entry.body),
      status_(std::make_shared<Status>()) {}

FieldReader::FieldReader(const FieldReader& parent, const YAML::Node& node, std::string where)
    : file_(parent.file_), where_(std::move(where)), node_(node), status_(parent.status_) {}

void FieldReader::Fail(std::string_view field, std::string_view reason) {
  if (!status_->ok()) return;
  *status_ = Bad(file_, field.empty() ? where_ : Format("{}.{}", where_, field), reason);
}

void FieldReader::Check(std::string_view field, const Status& status) {
  if (!status.ok()) Fail(field, status.message());
}

YAML::Node FieldReader::Child(const char* field) const {
  if (!node_.IsMap()) return YAML::Node();
  const YAML::Node& map = node_;  // looking up in a const node adds nothing to it
  const YAML::Node child = map[field];
  return IsAbsent(child) ? YAML::Node() : child;
}

std::string FieldReader::Scalar(const YAML::Node& node, std::string_view field) {
  if (node.IsNull()) return "";
  if (node.IsScalar()) return status_->ok() ? node.Scalar() : "";
  Fail(field, "must be a string");
  return "";
}

bool FieldReader::Has(const char* field) const { return !IsAbsent(Child(field)); }

std::string FieldReader::String(const char* field) { return Scalar(Child(field), field); }

bool FieldReader::Bool(const char* field) {
  const YAML::Node node = Child(field);
  const std::string text = node.IsNull() || node.Tag() == "!" ? "" : Scalar(node, field);
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
  const YAML::Node node = Child(field);
  std::vector<std::string> strings;
  if (node.IsNull()) return strings;
  if (!node.IsSequence()) {
    Fail(field, "must be a list of strings");
    return strings;
  }
  for (size_t i = 0; i < node.size(); ++i) {
    strings.push_back(Scalar(node[i], Format("{}[{}]", field, i)));
  }
  return strings;
}

std::vector<FieldReader> FieldReader::List(const char* field) {
  const YAML::Node node = Child(field);
  std::vector<FieldReader> readers;
  if (node.IsNull()) return readers;
  if (!node.IsSequence()) {
    Fail(field, "must be a list");
    return readers;
  }
  for (size_t i = 0; i < node.size(); ++i) {
    const std::string where = Format("{}.{}[{}]", where_, field, i);
    if (!node[i].IsMap()) Fail(Format("{}[{}]", field, i), "must be a mapping");
    readers.push_back(FieldReader(*this, node[i], where));
  }
  return readers;
}

FieldReader FieldReader::Map(const char* field) {
  const YAML::Node node = Child(field);
  if (!node.IsNull() && !node.IsMap()) Fail(field, "must be a mapping");
  return FieldReader(*this, node, Format("{}.{}", where_, field));
}

std::vector<std::string> FieldReader::Keys() {
  std::vector<std::string> keys;
  if (!node_.IsMap()) return keys;
  for (const auto& member : node_) {
    if (member.first.IsScalar()) keys.push_back(member.first.Scalar());
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
