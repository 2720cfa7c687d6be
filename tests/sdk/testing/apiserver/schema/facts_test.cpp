#include "apiserver/schema/facts.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/schema/facts_reader.h"

namespace capstan::testing::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Facts, ListTheResourcesOfAKubernetesVersion) {
  const ResourceFacts* deployments = FindFacts("apps/v1 deployments");
  ASSERT_TRUE(deployments);
  EXPECT_EQ(deployments->kind, "Deployment");
  EXPECT_THAT(deployments->short_names, ElementsAre("deploy"));
  EXPECT_THAT(deployments->categories, ElementsAre("all"));
  ASSERT_TRUE(deployments->FindSubresource("scale"));
  EXPECT_EQ(deployments->FindSubresource("scale")->type, "autoscaling/v1.Scale");
  EXPECT_EQ(deployments->columns.at(0).format, "name");
  EXPECT_EQ(deployments->columns.back().priority, 1);
  EXPECT_FALSE(FindFacts("v1 nodes")->namespaced);
  EXPECT_EQ(FindFacts("apps/v1 widgets"), nullptr);
  EXPECT_EQ(FindFacts("apps/v1 "), nullptr);
}

std::string ErrorOf(std::string_view text, std::string_view descriptions = {}) {
  SchemaSet types;
  std::vector<ResourceFacts> resources;
  FactsReader reader(types, resources);
  Status status = reader.Read(text);
  if (status.ok()) status = reader.Describe(descriptions);
  if (status.ok()) status = reader.Finish();
  return status.message();
}

TEST(FactsReader, RefusesAnInvalidTable) {
  const auto error_of = [](const std::string& text) { return ErrorOf("package p q\n" + text); };
  EXPECT_EQ(error_of("type A\n b string 1 omit\n"), "");
  EXPECT_EQ(error_of("type A atomic\n b string 2.1 omit enum=x,y%20z\n c any -\n"), "");
  EXPECT_THAT(error_of("type A\n b Missing 1\n"), HasSubstr("a type is not defined: p.Missing"));
  EXPECT_THAT(error_of("type A\ntype A\n"), HasSubstr("a type appears twice: p.A"));
  EXPECT_THAT(error_of("type A odd\n"), HasSubstr("not an attribute of a type: odd"));
  EXPECT_THAT(error_of("kind A\n"), HasSubstr("a kind needs an apiVersion"));
  EXPECT_THAT(error_of("type A\n b string 1\n b bool 2\n"), HasSubstr("a field appears twice: b"));
  EXPECT_THAT(error_of(" b string 1\n"), HasSubstr("a field before the first type"));
  EXPECT_THAT(error_of("type A\n b\n"), HasSubstr("needs a name and more"));
  EXPECT_THAT(error_of("type A\n b string\n"), HasSubstr("a field needs a number"));
  EXPECT_THAT(error_of("type A\n b string x\n"), HasSubstr("a field needs a number"));
  EXPECT_THAT(error_of("type A\n b string 1 omitt\n"), HasSubstr("not an attribute: omitt"));
  EXPECT_THAT(error_of("type A\n b []string 1 list=map(x\n"), HasSubstr("not an attribute"));
  EXPECT_THAT(error_of("type A\n b int32 1 default={\n"), HasSubstr("not an attribute"));
  EXPECT_THAT(error_of("other A\n"), HasSubstr("not known"));
  EXPECT_THAT(ErrorOf("type A\n"), HasSubstr("a type before the first package"));
  EXPECT_THAT(ErrorOf("resource v1 as A\n"), HasSubstr("a resource has too few words"));
  EXPECT_THAT(ErrorOf("resource v1 as A cluster odd\n"), HasSubstr("not an attribute"));
  EXPECT_THAT(ErrorOf("resource v1 as A cluster\n subresource b\n"),
              HasSubstr("a subresource has too few words"));
  EXPECT_THAT(ErrorOf("resource v1 as A cluster\n columns Name\n"), HasSubstr("not a column"));
}

TEST(FactsReader, RefusesDescriptionsOfUnknownFields) {
  constexpr std::string_view kTable = "package p q\ntype A\n b string 1\n";
  EXPECT_EQ(ErrorOf(kTable, "type p.A # what\n b default=\"x\" # why\n"), "");
  EXPECT_THAT(ErrorOf(kTable, "type p.B # what\n"), HasSubstr("unknown type"));
  EXPECT_THAT(ErrorOf(kTable, "type p.A\n c # what\n"), HasSubstr("unknown field: A.c"));
  EXPECT_THAT(ErrorOf(kTable, " b # what\n"), HasSubstr("a field before the first type"));
  EXPECT_THAT(ErrorOf(kTable, "type p.A\n b 1\n"), HasSubstr("not a default"));
}

}  // namespace
}  // namespace capstan::testing::server
