#pragma once

/// One kubeconfig file and its fields.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

#include "base/yaml/yaml_tree.h"

namespace capstan::client {

/// A named cluster, user or context, and its file.
struct KubeconfigEntry {
  std::string file;
  yaml::Node body;
};
using KubeconfigEntries = std::map<std::string, KubeconfigEntry>;

/// The content of one file, or of several files together.
struct Kubeconfig {
  KubeconfigEntries clusters, users, contexts;
  std::string current_context;
  std::string current_context_file;

  bool empty() const { return clusters.empty() && users.empty() && contexts.empty(); }
  /// Adds the entries of `other` that are missing here.
  void Merge(const Kubeconfig& other);
};

/// `path` names the file in errors. Relative paths in the file are relative to its folder.
Result<Kubeconfig> ParseKubeconfig(const std::string& text, const std::string& path);

/// Reads the fields of one mapping. The first error is kept, with file, entry and field in front of
/// it. Values read after an error are empty. The entry outlives the reader.
class FieldReader {
 public:
  /// `where` is e.g. `users["admin"]`.
  FieldReader(const KubeconfigEntry& entry, std::string where);

  bool Has(const char* field) const;
  std::string String(const char* field);
  bool Bool(const char* field);
  /// A base64 string, decoded.
  std::string Data(const char* field);
  /// A path. A relative path is resolved against the folder of the file.
  std::string Path(const char* field);
  std::vector<std::string> Strings(const char* field);
  /// The elements of a list; empty if there is none.
  std::vector<FieldReader> List(const char* field);
  FieldReader Map(const char* field);
  /// The keys of this mapping.
  std::vector<std::string> Keys();
  /// The field's value as JSON text.
  std::string Json(const char* field);

  /// The same for a path that is not a field.
  std::string ResolvePath(const std::string& path) const;
  void Fail(std::string_view field, std::string_view reason);
  /// Reports `status` as an error of `field`, unless it is OK.
  void Check(std::string_view field, const Status& status);
  const Status& status() const { return *status_; }

 private:
  FieldReader(const FieldReader& parent, const yaml::Node& node, std::string where);
  // A null node if the field is missing.
  const yaml::Node& Child(const char* field) const;
  std::string Scalar(const yaml::Node& node, std::string_view field);

  std::string file_;
  std::string where_;
  const yaml::Node* node_;
  std::shared_ptr<Status> status_;  // shared with the readers created from this one
};

}  // namespace capstan::client
