// Types defined by plugins: their descriptors, and their isolation from each other.

#include <capstan/api/descriptor.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include <capstan/api/apps_v1.h>
#include <capstan/api/object.h>
#include <capstan/api/scheme.h>

#include "decoded.h"
#include "twin_types.h"

namespace plugin_a {
// A smaller Deployment for a plugin that needs only these fields.
struct Deployment {
  capstan::api::ObjectMeta metadata;
  capstan::RawJson spec;
};
}  // namespace plugin_a

namespace plugin_b {
struct Part {
  std::string name;
  capstan::RawJson rest;
};
struct Options {
  bool shiny = false;
  capstan::RawJson rest;
};
struct Gadget {
  capstan::api::ObjectMeta metadata;
  Options options;
  std::optional<Options> extra;
  capstan::List<Part> parts;
  capstan::List<int32_t> sizes;
  capstan::List<capstan::RawJson> carried;
  std::optional<bool> on;
  capstan::api::MicroTime since;
};
}  // namespace plugin_b

CAPSTAN_DECLARE_RESOURCE(plugin_a::Deployment)
CAPSTAN_DEFINE_RESOURCE(plugin_a::Deployment,
                        (.group = "apps", .version = "v1", .resource = "deployments",
                         .kind = "Deployment", .namespaced = true),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(spec))

CAPSTAN_DECLARE_TYPE(plugin_b::Part)
CAPSTAN_DECLARE_TYPE(plugin_b::Options)
CAPSTAN_DECLARE_RESOURCE(plugin_b::Gadget)
CAPSTAN_DEFINE_TYPE(plugin_b::Part, CAPSTAN_FIELD_ALWAYS(name), CAPSTAN_UNKNOWN_MEMBERS(rest))
CAPSTAN_DEFINE_TYPE(plugin_b::Options, CAPSTAN_FIELD(shiny), CAPSTAN_UNKNOWN_MEMBERS(rest))
CAPSTAN_DEFINE_RESOURCE(plugin_b::Gadget,
                        (.group = "example.dev", .version = "v2", .resource = "gadgets",
                         .kind = "Gadget", .namespaced = false),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(options), CAPSTAN_FIELD(extra),
                        CAPSTAN_FIELD(parts), CAPSTAN_FIELD_AS(sizes, "size-list"),
                        CAPSTAN_FIELD(carried), CAPSTAN_FIELD(on), CAPSTAN_FIELD(since))

namespace capstan {
namespace {

using testing::Decoded;

TEST(Descriptor, ASecondStructForAResourceHasItsOwnIdentity) {
  const TypeDescriptor& mine = DescriptorOf<plugin_a::Deployment>();
  const TypeDescriptor& theirs = DescriptorOf<api::apps::v1::Deployment>();
  EXPECT_NE(&mine, &theirs);
  EXPECT_EQ(&mine, &DescriptorOf<plugin_a::Deployment>());
  EXPECT_STREQ(mine.resource->resource, theirs.resource->resource);
  const auto decoded = FromJson<plugin_a::Deployment>(
      R"({"metadata":{"name":"web"},"spec":{"replicas":3},"status":{"replicas":"what?"}})");
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->spec.text(), R"({"replicas":3})");
}

TEST(Descriptor, EquallyNamedStructsOfTwoFilesAreDistinct) {
  const auto first = testing::FirstTwin();
  const auto second = testing::SecondTwin();
  EXPECT_NE(first.type, second.type);
  EXPECT_STREQ(first.type->name, second.type->name);
  EXPECT_STREQ(first.type->fields[1].json, "size");
  EXPECT_STREQ(second.type->fields[1].json, "colour");
  EXPECT_EQ(first.encode_sample(), R"({"apiVersion":"example.dev/v1","kind":"Widget","size":1})");
  EXPECT_EQ(second.encode_sample(),
            R"({"apiVersion":"example.dev/v1","kind":"Widget","colour":"red"})");
  Scheme scheme;
  EXPECT_TRUE(scheme.Add(*first.type).ok());
  EXPECT_TRUE(scheme.Add(*second.type).ok());
  EXPECT_EQ(scheme.TypesOf("example.dev", "v1", "Widget").size(), 2u);
}

constexpr char kGadget[] =
    R"({"apiVersion":"example.dev/v2","kind":"Gadget","metadata":{"name":"g"},)"
    R"("options":{"shiny":true,"a":[1],"b":null,"c":{"d":{}}},"extra":{},)"
    R"("parts":[{"name":"p","x":"y"},{"name":""}],"size-list":[1,-2],)"
    R"("carried":[1,{"b":2},"t",[3]],"on":false,"since":"2026-11-21T02:46:54.000001Z"})";

TEST(Descriptor, DescribesListsOptionalsAndUnknownMembers) {
  const auto gadget = Decoded<plugin_b::Gadget>(kGadget);
  EXPECT_EQ(gadget.options.rest.text(), R"({"a":[1],"b":null,"c":{"d":{}}})");
  ASSERT_TRUE(gadget.extra.has_value());
  EXPECT_EQ(gadget.parts[0].rest.text(), R"({"x":"y"})");
  EXPECT_TRUE(gadget.parts[1].rest.empty());
  EXPECT_EQ(gadget.sizes, (List<int32_t>{1, -2}));
  EXPECT_EQ(gadget.carried[1].text(), R"({"b":2})");
  EXPECT_EQ(gadget.on, false);
  EXPECT_EQ(ToJson(gadget), kGadget);
}

TEST(Descriptor, UnknownMembersOfAStructAreDiffedWithTheKnownOnes) {
  const auto from = Decoded<plugin_b::Gadget>(kGadget);
  auto to = from;
  to.options.shiny = false;
  to.options.rest = *RawJson::Parse(R"({"a":[2],"c":{"e":1}})");
  EXPECT_EQ(MergePatch(from, to),
            R"({"options":{"shiny":null,"b":null,"a":[2],"c":{"d":null,"e":1}}})");
  to = from;
  to.options.rest = RawJson();
  EXPECT_EQ(MergePatch(from, to), R"({"options":{"a":null,"b":null,"c":null}})");
}

TEST(Descriptor, AnOptionalStructIsAddedAndRemovedAsAWhole) {
  auto from = Decoded<plugin_b::Gadget>(kGadget);
  auto to = from;
  to.extra.reset();
  EXPECT_EQ(MergePatch(from, to), R"({"extra":null})");
  EXPECT_EQ(MergePatch(to, from), R"({"extra":{}})");
  EXPECT_FALSE(Equal(from, to));
}

}  // namespace
}  // namespace capstan
