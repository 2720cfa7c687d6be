#pragma once

// A store with a Writer, for the tests of writes and of the garbage collector.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <capstan/testing/simulated_runtime.h>

#include "apiserver/http/api_errors.h"
#include "apiserver/http/request.h"
#include "apiserver/storage/store.h"
#include "apiserver/storage/writer.h"
#include "json/value.h"
#include "json_values.h"

namespace capstan::testing::server {

struct Call {
  std::string verb;
  std::string resource;  // "pods", "deployments.apps"
  std::string name = {};
  std::string body = {};
  std::string query = {};
  std::string content_type = "application/json";
  std::string subresource = {};
  std::string namespace_ = "default";
};

struct Answer {
  int code = 0;
  json::Value object;  // a Status when the write failed
  std::vector<std::string> warnings;

  const std::string& message() const { return object.Get("message").AsString(); }
  const std::string& reason() const { return object.Get("reason").AsString(); }
  const std::string& version() const {
    return object.Get("metadata", "resourceVersion").AsString();
  }
};

class WriteTest : public ::testing::Test {
 protected:
  WriteTest() : store_(runtime_, 10'000), writer_(store_, catalog_, runtime_) {
    CreateNamespace("default");
  }

  Answer Send(const Call& call) {
    ApiRequest request;
    request.verb = call.verb;
    request.resource = Find(call.resource);
    EXPECT_NE(request.resource, nullptr) << call.resource;
    if (!request.resource) return {};
    if (request.resource->namespaced) request.namespace_ = call.namespace_;
    request.name = call.name;
    request.subresource = call.subresource;
    request.query = *Query::Parse(call.query);
    request.body = call.body;
    request.content_type = call.content_type;
    request.user_agent = "tests/1.0";
    Warnings warnings;
    const Result<ApiAnswer> answer = writer_.Serve(request, warnings);
    if (answer.ok()) return {answer->code, answer->object, warnings.texts()};
    const json::Value status = StatusObject(answer.status());
    return {static_cast<int>(status.Get("code").AsInteger()), status, warnings.texts()};
  }
  Answer Create(const std::string& resource, const std::string& body, const std::string& query = {},
                const std::string& namespace_ = "default") {
    return Send({.verb = "create",
                 .resource = resource,
                 .body = body,
                 .query = query,
                 .namespace_ = namespace_});
  }
  Answer Merge(const std::string& resource, const std::string& name, const std::string& patch,
               const std::string& subresource = {}) {
    return Send({.verb = "patch",
                 .resource = resource,
                 .name = name,
                 .body = patch,
                 .content_type = "application/merge-patch+json",
                 .subresource = subresource});
  }
  Answer Delete(const std::string& resource, const std::string& name, const std::string& query = {},
                const std::string& body = {}) {
    return Send(
        {.verb = "delete", .resource = resource, .name = name, .body = body, .query = query});
  }
  // The stored object, or null.
  json::Value Stored(const std::string& storage, const std::string& name,
                     const std::string& namespace_ = "default") {
    const StoredObjectPtr object = store_.Get(storage, {namespace_, name});
    return object ? object->value() : json::Value();
  }
  bool Exists(const std::string& storage, const std::string& name,
              const std::string& namespace_ = "default") {
    return store_.Get(storage, {namespace_, name}) != nullptr;
  }
  std::string UidOf(const std::string& storage, const std::string& name) {
    return Stored(storage, name).Get("metadata", "uid").AsString();
  }

  void CreateNamespace(const std::string& name) {
    const Answer answer = Create("namespaces", R"({"metadata":{"name":")" + name + R"("}})");
    EXPECT_EQ(answer.code, 201) << answer.message();
  }
  const Resource* Find(const std::string& qualified) const {
    for (const Resource* resource : catalog_.All()) {
      if (resource->QualifiedName() == qualified) return resource;
    }
    return nullptr;
  }

  static std::string ConfigMap(const std::string& name, const std::string& more = {}) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + "\"" + more +
           R"(},"data":{"a":"1"}})";
  }
  static std::string Pod(const std::string& name, const std::string& node = {},
                         const std::string& more_metadata = {}) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + "\"" + more_metadata +
           R"(},"spec":{"nodeName":")" + node + R"(","containers":[{"name":"c","image":"i"}]}})";
  }
  static std::string Deployment(const std::string& name, const std::string& more_spec = {}) {
    return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" + name +
           R"("},"spec":{"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":)"
           R"({"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"i"}]}})" +
           more_spec + "}}";
  }

  SimulatedRuntime runtime_;
  ResourceCatalog catalog_;
  Store store_;
  Writer writer_;
};

}  // namespace capstan::testing::server
