#include "apiserver/validation/volumes.h"

#include <algorithm>
#include <array>
#include <string>

#include "apiserver/validation/names.h"
#include "apiserver/validation/resource_requirements.h"

namespace capstan::testing::server {
namespace {

constexpr int64_t kLargestMode = 0777;
constexpr std::string_view kModeText =
    "must be a number between 0 and 0777 (octal), both inclusive";

// In the order in which the API looks for a volume's source.
constexpr std::array<std::string_view, 30> kSources = {
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
};

void ValidateRelativePath(std::string_view text, const FieldPath& path, FieldErrors& errors) {
  if (text.starts_with("/")) errors.Invalid(path.Text(), text, "must be a relative path");
  ValidatePathWithoutBacksteps(text, path, errors);
}

// Validates a path in a volume. The kubelet reserves names that begin with two dots.
void ValidateUnreservedPath(std::string_view text, const FieldPath& path, FieldErrors& errors) {
  ValidateRelativePath(text, path, errors);
  if (text.starts_with("..") && !text.starts_with("../")) {
    errors.Invalid(path.Text(), text, "must not start with '..'");
  }
}

void ValidateMode(const json::Value& object, std::string_view field, const FieldPath& path,
                  FieldErrors& errors) {
  const json::Value& mode = object.Get(field);
  if (mode.AsInteger() < 0 || mode.AsInteger() > kLargestMode) {
    errors.Invalid(path.At(field), mode, std::string(kModeText));
  }
}

// Validates the files of a ConfigMap or Secret in a volume.
void ValidateItems(const json::Value& source, const FieldPath& path, FieldErrors& errors) {
  ValidateMode(source, "defaultMode", path, errors);
  const auto& items = source.Get("items").items();
  const FieldPath list = path.Child("items");
  for (size_t i = 0; i < items.size(); ++i) {
    const FieldPath at = list.Index(i);
    if (items[i].Get("key").AsString().empty()) errors.Required(at.At("key"));
    const std::string& file = items[i].Get("path").AsString();
    if (file.empty()) errors.Required(at.At("path"));
    ValidateUnreservedPath(file, at.Child("path"), errors);
    ValidateMode(items[i], "mode", at, errors);
  }
}

void ValidateHostPath(const json::Value& source, const FieldPath& path, FieldErrors& errors) {
  const std::string& host_path = source.Get("path").AsString();
  if (host_path.empty()) {
    errors.Required(path.At("path"));
    return;
  }
  ValidatePathWithoutBacksteps(host_path, path.Child("path"), errors);
  static const std::vector<std::string> kTypes = {
      "",     "BlockDevice",  "CharDevice", "Directory", "DirectoryOrCreate",
      "File", "FileOrCreate", "Socket"};
  const std::string& type = source.Get("type").AsString();
  if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
    errors.NotSupported(path.At("type"), type, kTypes);
  }
}

void RequireText(const json::Value& source, std::string_view field, const FieldPath& path,
                 FieldErrors& errors) {
  if (source.Get(field).AsString().empty()) errors.Required(path.At(field));
}

// Validates the commonly used sources. Vendor-specific storage sources are not validated.
void ValidateSource(std::string_view kind, const json::Value& source, const FieldPath& path,
                    FieldErrors& errors) {
  if (kind == "emptyDir") {
    if (CompareQuantities(source.Get("sizeLimit").AsString(), "0") < 0) {
      errors.Forbidden(path.At("sizeLimit"), "SizeLimit field must be a valid resource quantity");
    }
  } else if (kind == "hostPath") {
    ValidateHostPath(source, path, errors);
  } else if (kind == "secret") {
    RequireText(source, "secretName", path, errors);
    ValidateItems(source, path, errors);
  } else if (kind == "configMap") {
    RequireText(source, "name", path, errors);
    ValidateItems(source, path, errors);
  } else if (kind == "persistentVolumeClaim") {
    RequireText(source, "claimName", path, errors);
  } else if (kind == "nfs") {
    RequireText(source, "server", path, errors);
    RequireText(source, "path", path, errors);
    const std::string& exported = source.Get("path").AsString();
    if (!exported.empty() && exported.front() != '/') {
      errors.Invalid(path.At("path"), exported, "must be an absolute path");
    }
  } else if (kind == "downwardAPI" || kind == "projected") {
    ValidateMode(source, "defaultMode", path, errors);
  } else if (kind == "csi") {
    RequireText(source, "driver", path, errors);
  }
}

void ValidateVolumeSource(const json::Value& volume, const FieldPath& path, FieldErrors& errors) {
  bool found = false;
  for (const std::string_view kind : kSources) {
    const json::Value* source = volume.Find(kind);
    if (!source || source->IsNull()) continue;
    if (found) {
      errors.Forbidden(path.At(kind), "may not specify more than 1 volume type");
      continue;
    }
    found = true;
    ValidateSource(kind, *source, path.Child(kind), errors);
  }
  if (!found) errors.Required(path.Text(), "must specify a volume type");
}

void ValidateMount(const json::Value& mount, const FieldPath& list, const FieldPath& path,
                   FieldErrors& errors) {
  const std::string& sub_path = mount.Get("subPath").AsString();
  // The API omits the index for these two fields.
  if (!sub_path.empty()) ValidateRelativePath(sub_path, list.Child("subPath"), errors);
  const std::string& expression = mount.Get("subPathExpr").AsString();
  if (!expression.empty()) {
    if (!sub_path.empty()) {
      errors.Invalid(path.At("subPathExpr"), expression,
                     "subPathExpr and subPath are mutually exclusive");
    }
    ValidateRelativePath(expression, list.Child("subPathExpr"), errors);
  }
  const std::string& propagation = mount.Get("mountPropagation").AsString();
  if (!propagation.empty() && propagation != "None" && propagation != "HostToContainer" &&
      propagation != "Bidirectional") {
    errors.NotSupported(list.At("mountPropagation"), propagation,
                        {"Bidirectional", "HostToContainer", "None"});
  }
}

}  // namespace

void ValidatePathWithoutBacksteps(std::string_view text, const FieldPath& path,
                                  FieldErrors& errors) {
  std::string_view rest = text;
  while (true) {
    const size_t slash = rest.find('/');
    if (rest.substr(0, slash) == "..") {
      errors.Invalid(path.Text(), text, "must not contain '..'");
      return;
    }
    if (slash == std::string_view::npos) return;
    rest.remove_prefix(slash + 1);
  }
}

std::set<std::string_view> ValidateVolumes(const json::Value& volumes, const FieldPath& path,
                                           FieldErrors& errors) {
  std::set<std::string_view> names;
  const auto& all = volumes.items();
  for (size_t i = 0; i < all.size(); ++i) {
    const FieldPath at = path.Index(i);
    const size_t errors_before = errors.all().size();
    const std::string& name = all[i].Get("name").AsString();
    ValidateVolumeSource(all[i], at, errors);
    if (name.empty()) {
      errors.Required(at.At("name"));
    } else {
      AddFaults(FaultsOfDnsLabel(name), at.Child("name"), name, errors);
    }
    if (names.contains(name)) errors.Duplicate(at.At("name"), name);
    if (errors.all().size() == errors_before) names.insert(name);
  }
  return names;
}

void ValidateVolumeMounts(const json::Value& container, const std::set<std::string_view>& volumes,
                          const FieldPath& path, FieldErrors& errors) {
  const auto& mounts = container.Get("volumeMounts").items();
  const FieldPath list = path.Child("volumeMounts");
  std::set<std::string_view> mount_paths;
  for (size_t i = 0; i < mounts.size(); ++i) {
    const FieldPath at = list.Index(i);
    const std::string& name = mounts[i].Get("name").AsString();
    const std::string& mount_path = mounts[i].Get("mountPath").AsString();
    if (name.empty()) errors.Required(at.At("name"));
    if (!volumes.contains(name)) errors.NotFound(at.At("name"), name);
    if (mount_path.empty()) errors.Required(at.At("mountPath"));
    if (!mount_paths.insert(mount_path).second) {
      errors.Invalid(at.At("mountPath"), mount_path, "must be unique");
    }
    ValidateMount(mounts[i], list, at, errors);
  }
}

}  // namespace capstan::testing::server
