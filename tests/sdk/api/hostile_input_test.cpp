// Input that a broken or malicious server might send.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include <capstan/api/kinds.h>
#include <capstan/api/object.h>
#include <capstan/runtime/format.h>

namespace capstan {
namespace {

using api::apps::v1::Deployment;
using api::core::v1::Pod;
using ::testing::StartsWith;

template <class T>
std::string ErrorOf(const std::string& json) {
  const auto object = FromJson<T>(json);
  EXPECT_FALSE(object.ok()) << json.substr(0, 200);
  EXPECT_EQ(object.status().reason(), StatusReason::kMalformed);
  return object.status().message();
}

std::string Nested(const std::string& open, size_t depth, const std::string& inside,
                   const std::string& close) {
  std::string text;
  for (size_t i = 0; i < depth; ++i) text += open;
  text += inside;
  for (size_t i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(HostileInput, SkipsUnknownMembersOfAnyDepth) {
  const std::string deep = Nested("[", 200000, "", "]");
  const std::string objects = Nested("{\"a\":", 200000, "1", "}");
  const auto pod =
      FromJson<Pod>(R"({"x":)" + deep + R"(,"spec":{"y":)" + objects + R"(,"nodeName":"n"}})");
  ASSERT_TRUE(pod.ok()) << pod.status().ToString();
  EXPECT_EQ(pod->spec.nodeName, "n");
}

TEST(HostileInput, RefusesDeepNestingInKeptParts) {
  EXPECT_THAT(ErrorOf<Deployment>(R"({"spec":{"template":)" + Nested("[", 200000, "", "]") + "}}"),
              StartsWith("spec.template: nested deeper than"));
  EXPECT_THAT(ErrorOf<Deployment>(R"({"status":{"conditions":[{"type":"A","odd":)" +
                                  Nested("{\"a\":", 5000, "1", "}") + "}]}}"),
              StartsWith("status.conditions[0].odd: nested deeper than"));
}

TEST(HostileInput, RefusesTruncatedDeepNesting) {
  ErrorOf<Pod>(std::string(200000, '['));
  ErrorOf<Pod>(R"({"x":)" + std::string(200000, '['));
}

TEST(HostileInput, RefusesIntegersOutOfRange) {
  EXPECT_EQ(ErrorOf<Deployment>(R"({"spec":{"replicas":2147483648}})"),
            "spec.replicas: 2147483648 is out of the range of int32");
  EXPECT_EQ(ErrorOf<Deployment>(R"({"spec":{"replicas":-2147483649}})"),
            "spec.replicas: -2147483649 is out of the range of int32");
  EXPECT_EQ(ErrorOf<Deployment>(R"({"metadata":{"generation":9223372036854775808}})"),
            "metadata.generation: 9223372036854775808 is out of the range of int64");
  EXPECT_EQ(ErrorOf<Deployment>(R"({"spec":{"replicas":1.5}})"),
            "spec.replicas: expected an integer, found 1.5");
  EXPECT_EQ(ErrorOf<Deployment>(R"({"spec":{"replicas":1e3}})"),
            "spec.replicas: expected an integer, found 1e3");
  EXPECT_LT(ErrorOf<Deployment>(R"({"spec":{"replicas":)" + std::string(300, '9') + "}}").size(),
            200u);
  EXPECT_TRUE(FromJson<Deployment>(R"({"spec":{"replicas":-2147483648}})").ok());
}

TEST(HostileInput, HandlesExponentsOfAnySize) {
  const std::string nines(100000, '9');
  const std::string zeros(100000, '0');
  for (const std::string& number : {"1e-" + nines, "0." + zeros + "1e-2147483647",
                                    std::string("1e-2147483648"), "0e-214748364" + nines}) {
    EXPECT_TRUE(FromJson<Pod>(R"({"x":)" + number + "}").ok());
    ErrorOf<Pod>(R"({"metadata":{"generation":)" + number + "}}");
  }
  ErrorOf<Pod>(R"({"x":1e)" + nines + "}");
  ErrorOf<Pod>(R"({"x":)" + nines + "}");
}

TEST(HostileInput, RefusesInvalidUtf8InKeptParts) {
  EXPECT_EQ(ErrorOf<Pod>("{\"metadata\":{\"name\":\"a\xff\"}}"), "metadata.name: not valid UTF-8");
  EXPECT_EQ(ErrorOf<Pod>("{\"spec\":{\"nodeName\":\"\xc0\x80\"}}"),
            "spec.nodeName: not valid UTF-8");
  EXPECT_EQ(ErrorOf<Pod>("{\"metadata\":{\"labels\":{\"a\":\"\xed\xa0\x80\"}}}"),
            "metadata.labels.a: not valid UTF-8");
  EXPECT_EQ(ErrorOf<Pod>("{\"metadata\":{\"labels\":{\"\xf5\":\"a\"}}}"),
            "metadata.labels.?: not valid UTF-8");
  EXPECT_EQ(ErrorOf<Deployment>("{\"spec\":{\"template\":{\"a\":\"\xe2\x82\"}}}"),
            "spec.template: a string is not valid UTF-8");
  EXPECT_TRUE(FromJson<Pod>("{\"x\":\"\xff\"}").ok());
}

TEST(HostileInput, RefusesTrailingInput) {
  ErrorOf<Pod>("{}{}");
  ErrorOf<Pod>("{},");
  ErrorOf<Pod>(std::string("{}\0", 3));
  ErrorOf<Pod>(std::string("{}\0{\"a\":1}", 10));
  ErrorOf<Pod>(std::string("{\"x\":\0}", 7));
  EXPECT_TRUE(FromJson<Pod>(" {} \r\n").ok());
}

TEST(HostileInput, RefusesValuesThatAreNotObjects) {
  for (const char* text : {"", "null", "5", "\"x\"", "[]", "true", "[{}]"}) ErrorOf<Pod>(text);
  EXPECT_EQ(ErrorOf<Pod>("[]"), "expected an object, found an array");
}

TEST(HostileInput, DistinguishesNamesThatDifferByANulByte) {
  const auto pod = FromJson<Pod>(R"({"metadata":{"name\u0000":"x","nam":"y","":"z","names":"q"}})");
  ASSERT_TRUE(pod.ok());
  EXPECT_EQ(pod->metadata.name, "");
}

TEST(HostileInput, ReportsWhyATimeIsInvalid) {
  EXPECT_THAT(ErrorOf<Pod>(R"({"metadata":{"creationTimestamp":"yesterday"}})"),
              StartsWith("metadata.creationTimestamp: \"yesterday\" is not an RFC 3339 time"));
  ErrorOf<Pod>(R"({"metadata":{"creationTimestamp":""}})");
}

// --- The wrong type everywhere ---

using Wrap = std::function<std::string(const std::string& value)>;

std::string WrongValue(const FieldDescriptor& field) {
  switch (field.kind) {
    case FieldKind::kBool:
    case FieldKind::kInt32:
    case FieldKind::kInt64:
      return "\"text\"";
    case FieldKind::kIntOrString:
      return "true";
    default:
      return "5";
  }
}

void ExpectErrorAt(const TypeDescriptor& root, const std::string& path, const std::string& json) {
  const auto object = NewObject(root);
  const Status status = DecodeJson(root, json, object.get());
  EXPECT_EQ(status.reason(), StatusReason::kMalformed) << json;
  EXPECT_THAT(status.message(), StartsWith(path + ": expected ")) << json;
}

int ExpectErrorsIn(const TypeDescriptor& root, const TypeDescriptor& type,
                   const std::string& prefix, const Wrap& wrap) {
  int fields = 0;
  for (uint32_t i = 0; i < type.field_count; ++i) {
    const FieldDescriptor& field = type.fields[i];
    if (field.kind == FieldKind::kUnknownMembers) continue;
    const std::string path = prefix + field.json;
    const Wrap member = [&](const std::string& value) {
      return wrap("{\"" + std::string(field.json) + "\":" + value + "}");
    };
    const bool is_list = field.shape == FieldShape::kList;
    const std::string value_path = is_list ? path + "[1]" : path;
    // The element before the wrong one is treated as absent.
    const Wrap value = [&](const std::string& v) {
      return member(is_list ? "[null," + v + "]" : v);
    };
    if (is_list) {
      ExpectErrorAt(root, path, member("{}"));
      ExpectErrorAt(root, path, member("\"text\""));
    }
    if (field.kind == FieldKind::kRawJson) continue;
    ++fields;
    ExpectErrorAt(root, value_path, value(WrongValue(field)));
    ExpectErrorAt(root, value_path, value("[[]]"));
    if (field.kind == FieldKind::kStringMap) {
      for (const char* wrong : {"5", "{}"}) {
        ExpectErrorAt(root, value_path + ".key", value(Format("{{\"key\":{}}}", wrong)));
      }
    } else if (field.kind == FieldKind::kObject) {
      fields += ExpectErrorsIn(root, field.nested(), value_path + ".", value);
    } else {
      ExpectErrorAt(root, value_path, value("{}"));
    }
  }
  return fields;
}

TEST(HostileInput, ReportsThePathOfAWrongTypeForEveryField) {
  int fields = 0;
  for (const TypeDescriptor* type : TypedKinds()) {
    fields += ExpectErrorsIn(*type, *type, "", [](const std::string& value) { return value; });
  }
  EXPECT_GT(fields, 200);
}

}  // namespace
}  // namespace capstan
