// Objects with very many elements. Each of these tests is fast. It would run for minutes if the
// work were quadratic in the number of elements.

#include <functional>
#include <string>

#include "apiserver/patch/apply.h"
#include "apiserver/patch/patch.h"
#include "sdk/testing/apiserver/write_fixture.h"

namespace capstan::testing::server {
namespace {

constexpr int kMany = 20'000;

std::string Numbered(std::string_view prefix, int number) {
  return std::string(prefix) + std::to_string(1'000'000 + number);
}

json::Value List(const std::function<json::Value(int)>& element) {
  json::Value::Items items;
  for (int i = 0; i < kMany; ++i) items.push_back(element(i));
  return json::Value::Array(std::move(items));
}

json::Value Backwards(const json::Value& list) {
  return json::Value::Array(json::Value::Items(list.items().rbegin(), list.items().rend()));
}

json::Value Containers(std::string_view image = "i") {
  return List([&](int i) {
    return json::Value::Object({{"name", Numbered("c", i)}, {"image", image}});
  });
}

json::Value Deployment(json::Value containers) {
  json::Value deployment = json::Value::Object({{"apiVersion", "apps/v1"}, {"kind", "Deployment"}});
  deployment.Mutable("spec", "template", "spec").Set("containers", std::move(containers));
  return deployment;
}

const json::Value& ContainersOf(const json::Value& deployment) {
  return deployment.Get("spec", "template", "spec", "containers");
}

// Every second key, starting with `first`.
json::Value Labels(int first, const json::Value& value) {
  json::Value labels = json::Value::Object();
  for (int i = 0; i < kMany; ++i) labels.Set(Numbered("k", first + 2 * i), value);
  return json::Value::Object({{"metadata", json::Value::Object({{"labels", labels}})}});
}

const ObjectType& Type() { return *SchemaSet::BuiltIn().Find("apps/v1.Deployment"); }

json::Value Applied(const json::Value& live, const json::Value& configuration,
                    const std::string& manager) {
  ApplyOptions options;
  options.field_manager = manager;
  options.force = true;
  options.api_version = "apps/v1";
  const Result<json::Value> result = ApplyConfiguration(live, configuration, Type(), options);
  EXPECT_TRUE(result.ok()) << result.status().message().substr(0, 200);
  return result.ok() ? *result : json::Value();
}

json::Value Patched(const json::Value& live, const json::Value& patch) {
  const Result<json::Value> result = ApplyStrategicMergePatch(live, patch, Type());
  EXPECT_TRUE(result.ok()) << result.status().message().substr(0, 200);
  return result.ok() ? *result : json::Value();
}

TEST(LongLists, CanBeAppliedByTwoManagers) {
  const json::Value first = Applied({}, Deployment(Backwards(Containers())), "first");
  const json::Value both = Applied(first, Deployment(Containers("j")), "second");
  EXPECT_EQ(ContainersOf(both), Containers("j"));
  const json::Value rest = Applied(both, Deployment(json::Value::Array()), "second");
  EXPECT_EQ(ContainersOf(rest).items().size(), static_cast<size_t>(kMany));
}

TEST(LongLists, AreRemovedWhenTheyAreNoLongerApplied) {
  const json::Value live = Applied({}, Deployment(Containers()), "first");
  const json::Value one = json::Value::Array({Containers().items().back()});
  EXPECT_EQ(ContainersOf(Applied(live, Deployment(one), "first")), one);
}

TEST(LongLists, LoseTheirOwnersByAnUpdate) {
  const json::Value live = Applied({}, Deployment(Containers()), "first");
  json::Value after = live;
  after.Mutable("spec", "template", "spec").Set("containers", Backwards(Containers("j")));
  DropLostOwnership(live, after, Type());
  const json::Value& fields = after.Get("metadata", "managedFields").items().at(0).Get("fieldsV1");
  EXPECT_FALSE(json::ToJson(fields).empty());
  EXPECT_EQ(json::ToJson(fields).find("f:image"), std::string::npos);
}

TEST(LongLists, AreMergedByKey) {
  const json::Value live = Deployment(Containers());
  EXPECT_EQ(ContainersOf(Patched(live, Deployment(Backwards(Containers("j"))))),
            Backwards(Containers("j")));
}

TEST(LongLists, AreMergedInTheOrderOfThePatch) {
  json::Value patch = Deployment(Containers("j"));
  patch.Mutable("spec", "template", "spec").Set("$setElementOrder/containers", Containers());
  EXPECT_EQ(ContainersOf(Patched(Deployment(Backwards(Containers())), patch)), Containers("j"));
}

TEST(LongLists, AreEmptiedOneByOne) {
  const json::Value deletions = List([](int i) {
    return json::Value::Object({{"name", Numbered("c", i)}, {"$patch", "delete"}});
  });
  EXPECT_TRUE(
      ContainersOf(Patched(Deployment(Containers()), Deployment(deletions))).items().empty());
}

TEST(LongLists, AreMergedAsSets) {
  const json::Value names = List([](int i) { return Numbered("example.com/", i); });
  const auto with = [&](const char* key) {
    return json::Value::Object({{"metadata", json::Value::Object({{key, names}})}});
  };
  const json::Value live = with("finalizers");
  EXPECT_EQ(Patched(live, live), live);
  const json::Value none = Patched(live, with("$deleteFromPrimitiveList/finalizers"));
  EXPECT_TRUE(none.Get("metadata", "finalizers").items().empty());
}

TEST(LongMaps, CanInsertAndRemoveKeysInTheMiddle) {
  const json::Value even = Labels(0, "v");
  const size_t many = kMany;
  for (const auto& patched : {ApplyMergePatch(even, Labels(1, "v")),
                              ApplyStrategicMergePatch(even, Labels(1, "v"), Type())}) {
    ASSERT_TRUE(patched.ok());
    EXPECT_EQ(patched->Get("metadata", "labels").members().size(), 2 * many);
    for (const auto& less :
         {ApplyMergePatch(*patched, Labels(1, json::Value())),
          ApplyStrategicMergePatch(*patched, Labels(1, json::Value()), Type())}) {
      ASSERT_TRUE(less.ok());
      EXPECT_EQ(*less, even);
    }
  }
  EXPECT_EQ(Applied(even, Labels(1, "v"), "m").Get("metadata", "labels").members().size(),
            2 * many);
}

class LongListsWrite : public WriteTest {
 protected:
  Answer CreatePod(const std::string& name, json::Value container, json::Value more_spec) {
    container.Set("name", "c");
    container.Set("image", "i");
    json::Value pod = Json(Pod(name));
    json::Value& spec = pod.Mutable("spec");
    for (const json::Member& member : more_spec.members()) spec.Set(member.key, member.value);
    if (!more_spec.Find("containers")) spec.Set("containers", json::Value::Array({container}));
    return Create("pods", json::ToJson(pod));
  }
};

TEST_F(LongListsWrite, AreAcceptedInPods) {
  const json::Value none = json::Value::Object();
  const auto one = [](const char* field, json::Value list) {
    return json::Value::Object({{field, std::move(list)}});
  };
  const auto named = [](std::string_view prefix) {
    return List([=](int i) { return json::Value::Object({{"name", Numbered(prefix, i)}}); });
  };
  EXPECT_EQ(CreatePod("containers", none, one("containers", Containers())).code, 201);
  EXPECT_EQ(CreatePod("gates", none, one("schedulingGates", named("g"))).code, 201);
  EXPECT_EQ(CreatePod("secrets", none, one("imagePullSecrets", named("s"))).code, 201);
  EXPECT_EQ(CreatePod("variables", one("env", named("v")), none).code, 201);
  const json::Value ports = List([](int i) {
    return json::Value::Object(
        {{"containerPort", i + 1}, {"hostPort", i + 1}, {"name", Numbered("p", i)}});
  });
  EXPECT_EQ(CreatePod("ports", one("ports", ports), none).code, 201);
  const json::Value mounts = List([](int i) {
    return json::Value::Object({{"name", Numbered("v", i)}, {"mountPath", Numbered("/", i)}});
  });
  EXPECT_EQ(CreatePod("volumes", one("volumeMounts", mounts), one("volumes", named("v"))).code,
            201);
}

// Ports that all conflict would give one warning per pair.
TEST_F(LongListsWrite, HaveALimitedNumberOfWarnings) {
  const json::Value ports = List([](int) { return json::Value::Object({{"containerPort", 1}}); });
  const Answer answer =
      CreatePod("ports", json::Value::Object({{"ports", ports}}), json::Value::Object());
  EXPECT_EQ(answer.code, 201);
  EXPECT_FALSE(answer.warnings.empty());
  EXPECT_LT(answer.warnings.size(), static_cast<size_t>(2 * kMany));
}

TEST_F(LongListsWrite, AreAcceptedInServicesAndNodes) {
  json::Value service = Json(R"({"metadata":{"name":"s"},"spec":{"selector":{"a":"b"}}})");
  service.Mutable("spec").Set(
      "ports", List([](int i) {
        return json::Value::Object({{"port", i + 1}, {"name", Numbered("p", i)}});
      }));
  EXPECT_EQ(Create("services", json::ToJson(service)).code, 201);
  json::Value node = Json(R"({"metadata":{"name":"n"}})");
  node.Mutable("spec").Set(
      "taints", List([](int i) {
        return json::Value::Object({{"key", Numbered("k", i)}, {"effect", "NoSchedule"}});
      }));
  EXPECT_EQ(Create("nodes", json::ToJson(node)).code, 201);
}

// Each error about an owner contains all of them.
TEST_F(LongListsWrite, OwnerReferencesHaveALimitedNumberOfErrors) {
  json::Value object = Json(ConfigMap("a"));
  object.Mutable("metadata").Set("ownerReferences", List([](int i) {
                                   return json::Value::Object({{"apiVersion", "v1"},
                                                               {"kind", "Pod"},
                                                               {"name", "p"},
                                                               {"uid", Numbered("u", i)},
                                                               {"controller", true}});
                                 }));
  const Answer answer = Create("configmaps", json::ToJson(object));
  EXPECT_EQ(answer.code, 422);
  EXPECT_LT(answer.object.Get("details", "causes").items().size(), 100U);
}

}  // namespace
}  // namespace capstan::testing::server
