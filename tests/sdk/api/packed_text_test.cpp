// Pod templates that are decoded are kept compressed. Nobody sees it but by the memory.

#include "api/packed_text.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/api/raw_json.h>

#include "api/template_dictionary.h"
#include "decoded.h"

namespace capstan {
namespace {

using api::apps::v1::Deployment;
using internal::Pack;
using internal::Unpack;

std::string Template(const std::string& image) {
  std::string text = R"({"metadata":{"labels":{"app":"web"}},"spec":{"containers":[)";
  for (int i = 0; i < 10; ++i) {
    text += (i == 0 ? R"({"image":")" : R"(,{"image":")") + image + std::to_string(i) +
            R"(","imagePullPolicy":"IfNotPresent","name":"c)" + std::to_string(i) +
            R"(","terminationMessagePath":"/dev/termination-log"})";
  }
  return text + R"(],"dnsPolicy":"ClusterFirst","restartPolicy":"Always"}})";
}

Deployment DeploymentWith(const std::string& pod_template) {
  return testing::Decoded<Deployment>(R"({"metadata":{"name":"web"},"spec":{"template":)" +
                                      pod_template + "}}");
}

TEST(PackedText, ATemplateTakesLessThanAThird) {
  const std::string text = Template("web:v");
  const auto packed = Pack(text);
  ASSERT_TRUE(packed);
  EXPECT_LT(packed->size() * 3, text.size());
  EXPECT_EQ(Unpack(*packed, text.size()), text);
}

TEST(PackedText, TheDictionaryIsATemplateInCanonicalForm) {
  const auto dictionary = RawJson::Parse(internal::kTemplateDictionary);
  ASSERT_TRUE(dictionary.ok()) << dictionary.status().ToString();
  EXPECT_EQ(dictionary->text(), internal::kTemplateDictionary);
}

TEST(PackedText, TextsThatDoNotGetSmallerStayAsTheyAre) {
  EXPECT_FALSE(Pack(""));
  EXPECT_FALSE(Pack("short"));
  std::string noise;
  for (uint32_t i = 0, x = 1; i < 1000; ++i) {
    x = x * 1664525 + 1013904223;
    noise += static_cast<char>(x >> 24);
  }
  EXPECT_FALSE(Pack(noise));
}

TEST(PackedText, ADamagedTextIsAnError) {
  const std::string text = Template("web:v");
  const auto packed = Pack(text);
  ASSERT_TRUE(packed);
  EXPECT_THROW(Unpack(packed->substr(0, packed->size() / 2), text.size()), std::logic_error);
  EXPECT_THROW(Unpack(*packed, text.size() - 1), std::logic_error);
  EXPECT_THROW(Unpack(*packed, text.size() + 1), std::logic_error);
  EXPECT_EQ(Unpack(*packed, text.size()), text);
}

TEST(PackedText, ADecodedTemplateReadsAsItWasWritten) {
  const std::string text = Template("web:v");
  const Deployment web = DeploymentWith(text);
  EXPECT_EQ(web.spec.template_.text(), text);
  EXPECT_EQ(web.spec.template_, *RawJson::Parse(text));
  EXPECT_EQ(web.spec.template_.StringAt("/spec/containers/3/image"), "web:v3");
  EXPECT_EQ(web.spec.template_.With("/metadata/labels/x", RawJson::String("y"))
                .Without("/metadata/labels/x"),
            web.spec.template_);
}

TEST(PackedText, DecodedTemplatesCompareByTheirText) {
  const Deployment web = DeploymentWith(Template("web:v"));
  const Deployment same = DeploymentWith(Template("web:v"));
  const Deployment other = DeploymentWith(Template("web:w"));
  EXPECT_EQ(web.spec.template_, same.spec.template_);
  EXPECT_TRUE(SemanticallyEqual(web.spec.template_, same.spec.template_));
  EXPECT_NE(web.spec.template_, other.spec.template_);
  EXPECT_FALSE(SemanticallyEqual(web.spec.template_, other.spec.template_));
  EXPECT_NE(web.spec.template_, RawJson());
  EXPECT_EQ(web.spec.template_.SemanticHash(), RawJson::Parse(Template("web:v"))->SemanticHash());
}

TEST(PackedText, ThreadsReadTheSameTemplateAtATime) {
  const std::string text = Template("web:v");
  const Deployment web = DeploymentWith(text);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        EXPECT_EQ(web.spec.template_.text(), text);
        EXPECT_EQ(DeploymentWith(text).spec.template_, web.spec.template_);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace capstan
