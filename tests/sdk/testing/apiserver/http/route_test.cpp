#include "apiserver/http/route.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::testing::server {
namespace {

using ::testing::EndsWith;

class CustomRoutes : public ::testing::Test {
 protected:
  CustomRoutes() {
    catalog_.Add({.group = "example.dev",
                  .version = "v1",
                  .name = "widgets",
                  .singular = "widget",
                  .kind = "Widget",
                  .subresources = {{"status", {"get", "patch", "update"}, {}, nullptr}},
                  .own_schema = std::make_shared<SchemaSet>()});
  }
  Result<Route> Find(std::string_view method, const std::string& path) {
    return FindRoute(method, *ParseTarget("/apis/example.dev/v1/" + path), catalog_);
  }
  ResourceCatalog catalog_;
};

TEST_F(CustomRoutes, AnUnknownSubresourceIsNotFound) {
  for (const char* path : {"nope", "scale", "log/x", "a/b/c"}) {
    const auto route = Find("PUT", std::string("namespaces/a/widgets/alpha/") + path);
    EXPECT_TRUE(route.status().IsNotFound()) << path;
    EXPECT_EQ(route.status().message(), R"(widgets.example.dev "alpha" not found)") << path;
    EXPECT_EQ(route.status().details()->name, "alpha") << path;
  }
}

TEST_F(CustomRoutes, WritesNeedAName) {
  for (const char* method : {"PUT", "PATCH"}) {
    const auto route = Find(method, "namespaces/a/widgets");
    EXPECT_EQ(route.status().http_code(), 400) << method;
    EXPECT_EQ(route.status().message(), "name must be provided") << method;
  }
}

TEST_F(CustomRoutes, RefuseUnsupportedVerbs) {
  const auto odd = Find("TRACE", "namespaces/a/widgets/alpha");
  EXPECT_EQ(odd.status().http_code(), 405);
  EXPECT_EQ(odd.status().message(),
            R"( is not supported on resources of kind "widgets.example.dev")");
  EXPECT_EQ(odd.status().details()->kind, "widgets");
  EXPECT_EQ(Find("POST", "namespaces/a/widgets/alpha/status").status().message(),
            R"(create is not supported on resources of kind "widgets.example.dev")");
}

TEST_F(CustomRoutes, TakeTheNameOfANewObjectFromItsBody) {
  const auto route = Find("POST", "namespaces/a/widgets/alpha");
  ASSERT_TRUE(route.ok()) << route.status().ToString();
  EXPECT_EQ(route->verb, "create");
  EXPECT_EQ(route->name, "");
}

TEST_F(CustomRoutes, AllNamespacesSupportListAndWatchOnly) {
  EXPECT_EQ(Find("GET", "widgets")->verb, "list");
  EXPECT_EQ(Find("GET", "widgets?watch=true")->verb, "watch");
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    EXPECT_THAT(Find(method, "widgets").status().message(), EndsWith("requested resource"))
        << method;
  }
  EXPECT_TRUE(Find("GET", "widgets/alpha").status().IsNotFound());
}

TEST_F(CustomRoutes, MapMethodsToVerbs) {
  EXPECT_EQ(Find("GET", "namespaces/a/widgets/alpha")->verb, "get");
  EXPECT_EQ(Find("DELETE", "namespaces/a/widgets")->verb, "deletecollection");
  EXPECT_EQ(Find("PATCH", "namespaces/a/widgets/alpha/status")->subresource, "status");
}

TEST(Routes, RefuseUnknownPathsOfBuiltInKinds) {
  const ResourceCatalog catalog;
  const auto find = [&](std::string_view method, std::string_view path) {
    return FindRoute(method, *ParseTarget(path), catalog).status();
  };
  EXPECT_EQ(find("PUT", "/api/v1/namespaces/a/pods").http_code(), 405);
  EXPECT_EQ(find("GET", "/api/v1/namespaces/a/pods/p/nope").message(),
            "the server could not find the requested resource");
  EXPECT_TRUE(find("GET", "/api/v1/namespaces/a/pods/p/status/x").IsNotFound());
}

}  // namespace
}  // namespace capstan::testing::server
