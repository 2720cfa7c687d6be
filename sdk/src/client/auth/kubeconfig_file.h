#pragma once

// One kubeconfig file, and its fields one by one.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

#include "base/yaml/yaml_tree.h"

namespace capstan::client {

// A named cluster, user or context, and the file that it comes from.
struct KubeconfigEntry {
  std::string file;
  yaml::Node body;
};
using KubeconfigEntries = std::map<std::string, KubeconfigEntry>;

// What one file says, or several of them together.
struct Kubeconfig {
  KubeconfigEntries clusters, users, contexts;
  std::string current_context;
  std::string current_context_file;

  bool empty() const { return clusters.empty() && users.empty() && contexts.empty(); }
  // Adds what `other` has and this has not.
  void Merge(const Kubeconfig& other);
};

// `path` names the file in errors, and is what its relative paths are relative to.
Result<Kubeconfig> ParseKubeconfig(const std::string& text, const std::string& path);

// Reads the fields of one mapping. The first error is kept, with file, entry and field in front of
// it, and what is read afterwards is empty. The entry outlives it.
class FieldReader {
 public:
  // `where` is e.g. `users["admin"]`.
  FieldReader(const KubeconfigEntry& entry, std::string where);

  bool Has(const char* field) const;
  std::string String(const char* field);
  bool Bool(const char* field);
  // A base64 string, decoded.
  std::string Data(const char* field);
  // A path, made relative to the file's folder unless it is absolute.
  std::string Path(const char* field);
  std::vector<std::string> Strings(const char* field);
  // The elements of a list, or nothing.
  std::vector<FieldReader> List(const char* field);
  FieldReader Map(const char* field);
  // The keys of this mapping.
  std::vector<std::string> Keys();
  // The field's value as JSON text.
  std::string Json(const char* field);

  // The same for a path that is no field of its own.
  std::string ResolvePath(const std::string& path) const;
  void Fail(std::string_view field, std::string_view reason);
  // `status` as an error of `field`, unless it is OK.
  void Check(std::string_view field, const Status& status);
  const Status& status() const { return *status_; }

 private:
  FieldReader(const FieldReader& parent, const yaml::Node& node, std::string where);
  // Null when it is absent.
  const yaml::Node& Child(const char* field) const;
  std::string Scalar(const yaml::Node& node, std::string_view field);

  std::string file_;
  std::string where_;
  const yaml::Node* node_;
  std::shared_ptr<Status> status_;  // one for a reader and those made from it
};

}  // namespace capstan::client
