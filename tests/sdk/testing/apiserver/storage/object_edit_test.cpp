#include "apiserver/storage/object_edit.h"

#include <gtest/gtest.h>

#include "sdk/testing/apiserver/json_values.h"

namespace capstan::testing::server {
namespace {

TEST(ObjectEdit, AppliesAdditionsAndRemovalsAtFinish) {
  json::Value object = Json(R"({"b":1,"d":2,"f":3})");
  ObjectEdit edit(object);
  edit.Set("e", 4);
  edit.Set("a", 5);
  edit.Set("f", 6);
  edit.Erase("d");
  edit.Erase("z");
  edit.Finish();
  EXPECT_EQ(json::ToJson(object), R"({"a":5,"b":1,"e":4,"f":6})");
}

TEST(ObjectEdit, FindsPendingMembers) {
  json::Value object = Json(R"({"b":1})");
  ObjectEdit edit(object);
  edit.Set("a", 2);
  ASSERT_TRUE(edit.Find("a"));
  EXPECT_EQ(edit.Find("a")->AsInteger(), 2);
  edit.Erase("a");
  edit.Erase("b");
  EXPECT_EQ(edit.Find("a"), nullptr);
  EXPECT_EQ(edit.Find("b"), nullptr);
  edit.Finish();
  EXPECT_EQ(json::ToJson(object), "{}");
}

TEST(ObjectEdit, AnErasedMemberStartsEmpty) {
  json::Value object = Json(R"({"b":{"x":1}})");
  {
    ObjectEdit edit(object);
    edit.Erase("b");
    edit.Mutable("b").Set("y", 2);
  }
  EXPECT_EQ(json::ToJson(object), R"({"b":{"y":2}})");
}

TEST(ObjectEdit, DoesNotModifySharedObjects) {
  const json::Value before = Json(R"({"b":1})");
  json::Value object = before;
  {
    ObjectEdit edit(object);
    edit.Erase("b");
    edit.Set("c", 2);
  }
  EXPECT_EQ(json::ToJson(before), R"({"b":1})");
  EXPECT_EQ(json::ToJson(object), R"({"c":2})");
}

TEST(ObjectEdit, AnEmptyEditCreatesNoObject) {
  json::Value list = json::Value::Array({1});
  { ObjectEdit edit(list); }
  EXPECT_EQ(json::ToJson(list), "[1]");
}

}  // namespace
}  // namespace capstan::testing::server
