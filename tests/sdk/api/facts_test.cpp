// Checks the tables of all typed kinds against the facts of Kubernetes, which the test server reads
// (sdk/testing/apiserver/schema/facts).

#include <gtest/gtest.h>

#include <string>

#include <capstan/api/kinds.h>

#include "apiserver/schema/facts.h"
#include "apiserver/schema/schema.h"

namespace capstan::tests {
namespace {

using testing::server::Field;
using testing::server::ObjectType;
using testing::server::Presence;
using testing::server::SchemaSet;
using testing::server::TypeKind;
using testing::server::ValueType;

// The element type of a list, or the type itself.
const ValueType& ElementType(const ValueType& type) {
  return type.kind == TypeKind::kList ? *type.element : type;
}

// Whether a struct member of this kind can hold values of the API type.
bool CanHold(FieldKind kind, const ValueType& type) {
  switch (kind) {
    case FieldKind::kBool:
      return type.kind == TypeKind::kBool;
    case FieldKind::kInt32:
      return type.kind == TypeKind::kInt32;
    case FieldKind::kInt64:
      return type.kind == TypeKind::kInt64;
    case FieldKind::kString:
    case FieldKind::kInternedString:
    case FieldKind::kUid:
      return type.kind == TypeKind::kString;
    case FieldKind::kTime:
      return type.kind == TypeKind::kTime;
    case FieldKind::kMicroTime:
      return type.kind == TypeKind::kMicroTime;
    case FieldKind::kIntOrString:
      return type.kind == TypeKind::kIntOrString;
    case FieldKind::kStringMap:
      return type.kind == TypeKind::kMap &&
             (type.element->kind == TypeKind::kString || type.element->kind == TypeKind::kQuantity);
    case FieldKind::kRawJson:
      return true;
    case FieldKind::kObject:
      return type.kind == TypeKind::kObject;
    case FieldKind::kUnknownMembers:
      break;
  }
  return false;
}

void ExpectFacts(const TypeDescriptor& type, const ObjectType& facts, const std::string& at);

void ExpectFact(const FieldDescriptor& field, const Field& fact, const std::string& at) {
  const auto& path = fact.number;
  EXPECT_EQ(field.number, path.empty() ? 0 : path.back()) << at;
  EXPECT_EQ(field.within, path.size() > 1 ? path.front() : 0) << at;
  if (field.kind != FieldKind::kRawJson) {
    EXPECT_EQ(field.shape == FieldShape::kList, fact.type.kind == TypeKind::kList) << at;
  }
  const ValueType& element = ElementType(fact.type);
  ASSERT_TRUE(CanHold(field.kind, element)) << at << " has another type";
  if (field.shape == FieldShape::kOptional) {
    EXPECT_EQ(fact.presence, Presence::kIfSet)
        << at << ": an optional would keep a zero that Kubernetes drops";
  }
  if ((field.flags & kAlwaysEncode) != 0) {
    EXPECT_TRUE(fact.presence == Presence::kOrZero || fact.presence == Presence::kOrNull)
        << at << " is left out when zero";
  }
  const ValueType& value = element.kind == TypeKind::kMap ? *element.element : element;
  EXPECT_EQ((field.flags & kQuantity) != 0, value.kind == TypeKind::kQuantity) << at;
  if (field.kind == FieldKind::kObject) ExpectFacts(field.nested(), *element.object, at + ".");
}

void ExpectFacts(const TypeDescriptor& type, const ObjectType& facts, const std::string& at) {
  for (uint32_t i = 0; i < type.field_count; ++i) {
    const FieldDescriptor& field = type.fields[i];
    if (field.kind == FieldKind::kUnknownMembers) continue;
    const Field* fact = facts.Find(field.json);
    if (!fact)
      ADD_FAILURE() << at << field.json << " is no field of " << facts.name;
    else
      ExpectFact(field, *fact, at + field.json);
  }
}

class EveryKind : public ::testing::TestWithParam<const TypeDescriptor*> {};

TEST_P(EveryKind, ExistsInKubernetes) {
  const ResourceInfo& info = *GetParam()->resource;
  const auto* fact = testing::server::FindFacts(info.ApiVersion() + " " + info.resource);
  ASSERT_NE(fact, nullptr);
  EXPECT_EQ(fact->kind, info.kind);
  EXPECT_EQ(fact->namespaced, info.namespaced);
}

TEST_P(EveryKind, MatchesTheNamesTagsAndTypesOfKubernetes) {
  const ResourceInfo& info = *GetParam()->resource;
  const ObjectType* type = SchemaSet::BuiltIn().Find(info.ApiVersion() + "." + info.kind);
  ASSERT_NE(type, nullptr);
  ExpectFacts(*GetParam(), *type, std::string(info.kind) + ".");
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind,
                         ::testing::ValuesIn(TypedKinds().begin(), TypedKinds().end()),
                         [](const auto& info) {
                           std::string name = info.param->name;
                           return name.substr(name.rfind(':') + 1);
                         });

}  // namespace
}  // namespace capstan::tests
