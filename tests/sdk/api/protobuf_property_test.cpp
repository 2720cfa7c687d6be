// Both encodings of an object decode to the same, whatever is kept of it. The embedded server
// encodes protobuf, by the fact table and not by the descriptors.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/kinds.h>
#include <capstan/api/object.h>

#include "api/protobuf/object.h"
#include "apiserver/codec/protobuf_encoder.h"
#include "json/value.h"
#include "random_object.h"

namespace capstan {
namespace {

using capstan::testing::RandomObjects;

constexpr int kObjects = 300;

class ProtobufOfEveryType : public ::testing::TestWithParam<const TypeDescriptor*> {
 protected:
  const TypeDescriptor& type() const { return *GetParam(); }

  std::string RandomJson(RandomObjects& objects) const {
    const auto object = NewObject(type());
    objects.Fill(type(), object.get());
    return EncodeJson(type(), object.get());
  }
  // Decodes as a list reader does.
  std::shared_ptr<void> FromProtobuf(const std::string& bytes, const FieldSet& fields) const {
    auto object = NewObject(type());
    const Status status = protobuf::DecodeObject(type(), bytes, object.get(), fields);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return object;
  }
  std::shared_ptr<void> FromJsonText(const std::string& json, const FieldSet& fields) const {
    auto object = NewObject(type());
    const Status status = DecodeJson(type(), json, object.get(), fields);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return object;
  }
};

std::string ToProtobuf(const std::string& json) {
  const auto value = json::ParseValue(json);
  EXPECT_TRUE(value.ok()) << value.status().ToString();
  auto bytes = capstan::testing::server::ProtobufOf(value->value);
  EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
  return bytes.ok() ? *std::move(bytes) : std::string();
}

// A selector of list elements by a member that is a string; "" if there is none.
std::string SelectorIn(RandomObjects& objects, const TypeDescriptor& type) {
  for (uint32_t i = 0; i < type.field_count; ++i) {
    const FieldDescriptor& field = type.fields[i];
    const bool text = field.kind == FieldKind::kInternedString || field.kind == FieldKind::kString;
    if (!text || field.shape != FieldShape::kPlain) continue;
    const std::string value = objects.Text();
    if (value.find(']') != std::string::npos) return "";
    return std::string("[") + field.json + "=" + value + "]";
  }
  return "";
}

// Appends random paths to fields that protobuf has. Objects are never named as a whole.
void AppendNumberedPaths(RandomObjects& objects, const TypeDescriptor& type,
                         const std::string& prefix, std::vector<std::string>& paths) {
  for (uint32_t i = 0; i < type.field_count; ++i) {
    const FieldDescriptor& field = type.fields[i];
    if (field.number == 0 || field.kind == FieldKind::kRawJson || objects.Below(3) == 0) continue;
    std::string path = prefix + field.json;
    if (field.kind == FieldKind::kObject) {
      if (field.shape == FieldShape::kList && objects.Below(2) == 0) {
        path += SelectorIn(objects, field.nested());
      }
      AppendNumberedPaths(objects, field.nested(), path + ".", paths);
      continue;
    }
    const bool map = field.kind == FieldKind::kStringMap && field.shape == FieldShape::kPlain;
    paths.push_back(map && objects.Below(2) == 0 ? path + "[" + objects.Text() + "0]" : path);
  }
}

FieldSet NumberedFields(RandomObjects& objects, const TypeDescriptor& type) {
  std::vector<std::string> paths;
  AppendNumberedPaths(objects, type, "", paths);
  const std::vector<std::string_view> views(paths.begin(), paths.end());
  const auto fields = FieldSet::Of(type, views);
  EXPECT_TRUE(fields.ok()) << fields.status().ToString();
  EXPECT_TRUE(protobuf::TravelsAsProtobuf(type, *fields));
  return *fields;
}

TEST_P(ProtobufOfEveryType, DecodesToTheSameAsJson) {
  RandomObjects objects(11);
  for (int i = 0; i < kObjects; ++i) {
    const std::string json = RandomJson(objects);
    const std::string bytes = ToProtobuf(json);
    const FieldSet fields = NumberedFields(objects, type());
    const auto expected = FromJsonText(json, fields);
    const auto decoded = FromProtobuf(bytes, fields);
    ASSERT_EQ(EncodeJson(type(), decoded.get()), EncodeJson(type(), expected.get())) << json;
    ASSERT_TRUE(EqualObjects(type(), decoded.get(), expected.get()));
    ASSERT_EQ(MetadataOf(type(), decoded.get()).kept, fields);
  }
}

TEST_P(ProtobufOfEveryType, DecodesWholeToTheSameAsJsonIfItHasNoRawParts) {
  if (!protobuf::TravelsAsProtobuf(type(), {})) return;  // the other tests decode parts of it
  RandomObjects objects(12);
  for (int i = 0; i < kObjects; ++i) {
    const std::string json = RandomJson(objects);
    const auto decoded = FromProtobuf(ToProtobuf(json), {});
    ASSERT_EQ(EncodeJson(type(), decoded.get()), json);
  }
}

TEST_P(ProtobufOfEveryType, IsMalformedOrDecodesWhenItIsMangled) {
  RandomObjects objects(13);
  for (int i = 0; i < kObjects; ++i) {
    std::string bytes = ToProtobuf(RandomJson(objects));
    for (uint64_t edits = objects.Below(4) + 1; edits > 0; --edits) {
      const size_t at = 4 + objects.Below(bytes.size() - 4);
      if (objects.Below(3) == 0 && at + 1 < bytes.size())
        bytes.erase(at, objects.Below(20));
      else
        bytes[at] = static_cast<char>(objects.Below(256));
      if (bytes.size() < 5) break;
    }
    const FieldSet fields = NumberedFields(objects, type());
    const auto object = NewObject(type());
    const Status status = protobuf::DecodeObject(type(), bytes, object.get(), fields);
    ASSERT_TRUE(status.ok() || status.reason() == StatusReason::kMalformed);
    if (!status.ok()) continue;
    const std::string json = EncodeJson(type(), object.get());
    ASSERT_EQ(EncodeJson(type(), FromJsonText(json, fields).get()), json);
  }
}

INSTANTIATE_TEST_SUITE_P(Objects, ProtobufOfEveryType,
                         ::testing::ValuesIn(TypedKinds().begin(), TypedKinds().end()),
                         [](const auto& info) {
                           std::string name = info.param->name;
                           return name.substr(name.rfind(':') + 1);
                         });

}  // namespace
}  // namespace capstan
