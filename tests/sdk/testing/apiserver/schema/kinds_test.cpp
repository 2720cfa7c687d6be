#include "apiserver/kinds.h"

#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/codec/decoding.h"
#include "apiserver/http/open_api.h"
#include "apiserver/print/table.h"
#include "apiserver/schema/facts.h"
#include "json/value.h"

namespace capstan::testing::server {
namespace {

// "apps/v1 deployments"
std::string RowNameOf(const ResourceFacts& facts) { return facts.api_version + " " + facts.name; }

TEST(Kinds, AnyResourceInTheFactsCanBeServedByName) {
  size_t count = 0;
  for (const ResourceFacts& facts : BuiltInFacts()) {
    const std::string name = RowNameOf(facts);
    SCOPED_TRACE(name);
    const Resource resource = ResourceOf({.resource = name});
    ASSERT_TRUE(resource.type);
    ASSERT_TRUE(resource.strategy);
    EXPECT_EQ(resource.ApiVersion(), facts.api_version);
    const Result<Decoded> object =
        Conform(json::Value::Object({{"metadata", json::Value::Object({{"name", "a"}})}}),
                *resource.type, FieldValidation::kStrict);
    ASSERT_TRUE(object.ok()) << object.status().ToString();
    json::Value made = object->object;
    resource.strategy->PrepareForCreate(made);
    const json::Value table = TableOf(resource, {&made}, {}, "", WallTime());
    EXPECT_EQ(table.Get("rows").items().size(), 1U);
    EXPECT_FALSE(OpenApiDocument({&resource}).Get("components", "schemas").IsEmpty());
    ++count;
  }
  EXPECT_GT(count, 70U);
}

TEST(Kinds, ARowHasACellForEachColumn) {
  for (const Resource& resource : BuiltInResources()) {
    if (resource.columns.empty()) continue;
    const json::Value object = json::Value::Object();
    EXPECT_EQ(resource.print(object, WallTime()).cells.size(), resource.columns.size())
        << resource.QualifiedName();
  }
}

TEST(Kinds, SubresourcesMatchTheFacts) {
  const Resource pods = ResourceOf({.resource = "v1 pods"});
  ASSERT_TRUE(pods.FindSubresource("eviction"));
  EXPECT_EQ(pods.FindSubresource("eviction")->kind.group, "policy");
  EXPECT_TRUE(pods.FindSubresource("eviction")->Serves("create"));
  EXPECT_FALSE(pods.FindSubresource("eviction")->Serves("get"));
  EXPECT_FALSE(pods.HasSubresource("exec"));  // not implemented
  EXPECT_TRUE(ResourceOf({.resource = "apps/v1 statefulsets"}).HasSubresource("scale"));
}

TEST(Kinds, AResourceWithoutFactsIsALogicError) {
  EXPECT_THROW(ResourceOf({.resource = "apps/v1 widgets"}), std::logic_error);
}

}  // namespace
}  // namespace capstan::testing::server
