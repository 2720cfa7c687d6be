// Pod templates that are decoded are kept compressed, and those of one controller as differences.
// Nobody sees it but by the memory.

#include "api/packed_text.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/api/raw_json.h>

#include "api/template_dictionary.h"
#include "api/text_family.h"
#include "decoded.h"

namespace capstan {
namespace {

using api::apps::v1::Deployment;
using api::apps::v1::ReplicaSet;
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

// A ReplicaSet with the labels of its pods, whose controller has this UID.
ReplicaSet ReplicaSetOf(const std::string& controller, const std::string& pod_template) {
  return testing::Decoded<ReplicaSet>(
      R"({"metadata":{"name":"web-1","uid":"00000000-0000-4000-8000-000000000001",)"
      R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":")" +
      controller + R"(","controller":true}]},"spec":{"template":)" + pod_template + "}}");
}

constexpr char kUid[] = "00000000-0000-4000-8000-0000000000aa";
constexpr char kOtherUid[] = "00000000-0000-4000-8000-0000000000bb";

TEST(PackedText, ADifferenceToASimilarTextIsMuchSmaller) {
  const std::string base = Template("web:v1");
  std::string text = base;
  text.replace(text.find("web:v1"), 6, "web:v2.1");
  const auto difference = Pack(text, base);
  ASSERT_TRUE(difference);
  EXPECT_LT(difference->size() * 3, Pack(text)->size());
  EXPECT_EQ(Unpack(*difference, text.size(), base), text);
  EXPECT_EQ(Unpack(*Pack(base), base.size()), base);
}

TEST(PackedText, TheTemplatesOfAControllerAndItsObjectsReadAsTheyWereWritten) {
  std::vector<ReplicaSet> sets;
  for (const char* uid : {kUid, kOtherUid, ""}) {
    for (const char* image : {"web:v1", "web:v2", "web:v1", "other:v"}) {
      sets.push_back(ReplicaSetOf(uid, Template(image)));
      EXPECT_EQ(sets.back().spec.template_.text(), Template(image));
      EXPECT_EQ(sets.back().spec.template_, *RawJson::Parse(Template(image)));
    }
  }
  for (size_t i = 0; i < sets.size(); ++i) {
    const RawJson& a = sets[i].spec.template_;
    EXPECT_EQ(a.SemanticHash(), RawJson::Parse(a.text())->SemanticHash());
    for (const ReplicaSet& other : sets) {
      const RawJson& b = other.spec.template_;
      EXPECT_EQ(a == b, a.text() == b.text());
      EXPECT_EQ(SemanticallyEqual(a, b), a.text() == b.text());
    }
  }
}

TEST(PackedText, ATemplateOutlivesTheOneThatItIsADifferenceTo) {
  const std::string unlike = R"({"spec":{"x":")" + std::string(3000, '-') + R"("}})";
  std::optional<ReplicaSet> first = ReplicaSetOf(kUid, Template("web:v1"));
  const ReplicaSet second = ReplicaSetOf(kUid, Template("web:v2"));
  const ReplicaSet third = ReplicaSetOf(kUid, unlike);
  first.reset();
  EXPECT_EQ(second.spec.template_.text(), Template("web:v2"));
  EXPECT_EQ(third.spec.template_.text(), unlike);
  EXPECT_EQ(ReplicaSetOf(kUid, Template("web:v3")).spec.template_.text(), Template("web:v3"));
}

TEST(PackedText, TheFirstTextOfAFamilyIsItsBaseUntilAllHaveLeft) {
  using internal::TextFamily;
  const std::string first = Template("web:v1");
  const std::string second = Template("web:v2");
  TextFamily* family = &TextFamily::Join(7, first);
  EXPECT_EQ(&TextFamily::Join(7, second), family);
  EXPECT_EQ(family->base(), first);
  TextFamily* other = &TextFamily::Join(8, "a text that is not packed");
  EXPECT_NE(other, family);
  EXPECT_EQ(other->base(), "a text that is not packed");
  for (TextFamily* each : {family, family, other}) TextFamily::Leave(each);
  family = &TextFamily::Join(7, second);
  EXPECT_EQ(family->base(), second);
  TextFamily::Leave(family);
}

TEST(PackedText, ThreadsDecodeAndDropTheTemplatesOfOneFamily) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      const std::string text = Template("web:v" + std::to_string(i));
      for (int k = 0; k < 50; ++k) {
        EXPECT_EQ(ReplicaSetOf(kUid, text).spec.template_.text(), text);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(PackedText, ThreadsReadTheSameTemplateAtATime) {
  const std::string text = Template("web:v");
  const Deployment web = DeploymentWith(text);
  std::vector<std::thread> threads;
  threads.reserve(4);
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
