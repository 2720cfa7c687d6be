#include "apiserver/http/open_api.h"

#include <utility>

#include "apiserver/http/group_discovery.h"

namespace capstan::testing::server {
namespace {

using json::Value;

struct Operation {
  std::string_view method;
  std::string_view action;  // x-kubernetes-action
  std::string_view verb;    // the verb in operationId
  bool writes = false;
};

Value Parameter(std::string_view name, std::string_view place, std::string_view type) {
  Value parameter =
      Value::Object({{"name", name},
                     {"in", place},
                     {"schema", Value::Object({{"type", type}, {"uniqueItems", true}})}});
  if (place == "path") parameter.Set("required", true);
  return parameter;
}

Value ParametersOf(const Operation& operation) {
  Value parameters = Value::Array();
  if (operation.writes) {
    parameters.Append(Parameter("dryRun", "query", "string"));
    parameters.Append(Parameter("fieldManager", "query", "string"));
    parameters.Append(Parameter("fieldValidation", "query", "string"));
  }
  if (operation.method == "patch") parameters.Append(Parameter("force", "query", "boolean"));
  if (operation.action == "delete" || operation.action == "deletecollection") {
    parameters.Append(Parameter("dryRun", "query", "string"));
    parameters.Append(Parameter("gracePeriodSeconds", "query", "integer"));
    parameters.Append(Parameter("propagationPolicy", "query", "string"));
  }
  if (operation.action == "list" || operation.action == "deletecollection") {
    for (std::string_view name : {"continue", "fieldSelector", "labelSelector", "resourceVersion",
                                  "resourceVersionMatch"}) {
      parameters.Append(Parameter(name, "query", "string"));
    }
    for (std::string_view name : {"limit", "timeoutSeconds"}) {
      parameters.Append(Parameter(name, "query", "integer"));
    }
  }
  if (operation.action == "list") {
    for (std::string_view name : {"allowWatchBookmarks", "sendInitialEvents", "watch"}) {
      parameters.Append(Parameter(name, "query", "boolean"));
    }
  }
  return parameters;
}

// Writes the paths of one resource, including its subresources.
class PathWriter {
 public:
  PathWriter(const Resource& resource, std::string kind_schema, Value& paths)
      : resource_(resource),
        schema_(std::move(kind_schema)),
        paths_(paths),
        kind_{resource.group, resource.version, resource.kind} {
    root_ = (resource.group.empty() ? "/api/" : "/apis/") +
            GroupVersionName(resource.group, resource.version);
  }

  void Write() {
    const std::string collection = Root(resource_.namespaced) + resource_.name;
    Add(collection, {{"get", "list", "list"},
                     {"post", "post", "create", true},
                     {"delete", "deletecollection", "deleteCollection"}});
    if (resource_.namespaced) Add(Root(false) + resource_.name, {{"get", "list", "listAll"}});
    const std::string item = collection + "/{name}";
    Add(item, {{"get", "get", "read"},
               {"put", "put", "replace", true},
               {"patch", "patch", "patch", true},
               {"delete", "delete", "delete"}});
  }

  // `schema` is the schema of the subresource's kind.
  void WritePart(const Subresource& part, std::string schema) {
    kind_ = part.kind;
    schema_ = std::move(schema);
    AddPart(Root(resource_.namespaced) + resource_.name + "/{name}/" + part.name);
  }

 private:
  std::string Root(bool namespaced) const {
    return root_ + (namespaced ? "/namespaces/{namespace}/" : "/");
  }

  void AddPart(const std::string& path) {
    Add(path, {{"get", "get", "read"},
               {"put", "put", "replace", true},
               {"patch", "patch", "patch", true}});
  }

  void Add(const std::string& path, const std::vector<Operation>& operations) {
    Value entry = Value::Object();
    for (const Operation& operation : operations) {
      entry.Set(operation.method, Describe(operation, path));
    }
    for (std::string_view name : {"name", "namespace"}) {
      if (path.find("{" + std::string(name) + "}") != std::string::npos) {
        entry.Mutable("parameters").Append(Parameter(name, "path", "string"));
      }
    }
    paths_.Set(path, std::move(entry));
  }

  Value Describe(const Operation& operation, const std::string& path) const {
    const bool list = operation.action == "list";
    std::string id = std::string(operation.verb) + resource_.kind;
    if (const size_t part = path.find("{name}/"); part != std::string::npos) {
      id += "_" + path.substr(part + 7);
    }
    Value reference =
        Value::Object({{"$ref", "#/components/schemas/" + schema_ + (list ? "List" : "")}});
    Value described = Value::Object({{"operationId", std::move(id)},
                                     {"parameters", ParametersOf(operation)},
                                     {"x-kubernetes-action", operation.action},
                                     {"x-kubernetes-group-version-kind", Kind()}});
    Value& ok = described.Mutable("responses", "200");
    ok.Set("description", "OK");
    ok.Mutable("content", "application/json").Set("schema", std::move(reference));
    return described;
  }

  Value Kind() const {
    return Value::Object(
        {{"group", kind_.group}, {"version", kind_.version}, {"kind", kind_.kind}});
  }

  const Resource& resource_;
  std::string schema_;
  Value& paths_;
  KindName kind_;
  std::string root_;
};

}  // namespace

Value OpenApiDocument(const std::vector<const Resource*>& resources) {
  OpenApiSchemas schemas;
  Value paths = Value::Object();
  for (const Resource* resource : resources) {
    const std::string schema = schemas.AddKind(*resource);
    PathWriter writer(*resource, schema, paths);
    writer.Write();
    for (const Subresource& part : resource->subresources) {
      if (!part.Serves("get")) continue;
      const bool own = resource->IsObjectPart(part);
      writer.WritePart(part, own ? schema : schemas.AddPart(part.kind));
    }
  }
  return Value::Object({{"openapi", "3.0.0"},
                        {"info", Value::Object({{"title", "Kubernetes"}, {"version", "1.36"}})},
                        {"paths", std::move(paths)},
                        {"components", Value::Object({{"schemas", schemas.Take()}})}});
}

}  // namespace capstan::testing::server
