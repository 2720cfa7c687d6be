// Properties of the interpreter with the real descriptors and random objects.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/field_set.h>
#include <capstan/api/kinds.h>
#include <capstan/api/object.h>

#include "api/field_node.h"
#include "base/json/json_tree.h"
#include "random_object.h"

namespace capstan {
namespace {

using json::Node;
using testing::RandomObjects;

constexpr int kRounds = 300;

class EveryType : public ::testing::TestWithParam<const TypeDescriptor*> {
 protected:
  const TypeDescriptor& type() const { return *GetParam(); }

  std::shared_ptr<void> Random(RandomObjects& objects, bool read_only_lists = true) const {
    auto object = NewObject(type());
    objects.Fill(type(), object.get(), read_only_lists);
    return object;
  }
  std::shared_ptr<void> Decode(std::string_view json) const {
    auto object = NewObject(type());
    const Status status = DecodeJson(type(), json, object.get());
    EXPECT_TRUE(status.ok()) << status.ToString() << "\n" << json;
    return object;
  }
  bool Equal(const std::shared_ptr<void>& a, const std::shared_ptr<void>& b) const {
    return EqualObjects(type(), a.get(), b.get());
  }
  std::string Json(const std::shared_ptr<void>& object) const {
    return EncodeJson(type(), object.get());
  }
};

// RFC 7386, section 2.
void ApplyMergePatch(Node& target, const Node& patch) {
  if (!patch.IsObject()) {
    const auto key = target.key;
    target = patch;
    target.key = key;
    return;
  }
  if (!target.IsObject()) {
    target.kind = Node::Kind::kObject;
    target.children.clear();
  }
  for (const Node& member : patch.children) {
    auto& members = target.children;
    if (member.kind == Node::Kind::kNull) {
      members.erase(std::remove_if(members.begin(), members.end(),
                                   [&](const Node& m) { return m.key == member.key; }),
                    members.end());
      continue;
    }
    Node* old = target.Find(member.key);
    if (!old) {
      old = &members.emplace_back();
      old->key = member.key;
    }
    ApplyMergePatch(*old, member);
  }
}

// Adds members that no descriptor knows to `node` and its structs, as a newer server would.
size_t AddForeignMembers(Node& node, const TypeDescriptor& type) {
  size_t added = 1;
  for (uint32_t i = 0; i < type.field_count; ++i) {
    const FieldDescriptor& field = type.fields[i];
    if (field.kind != FieldKind::kObject || field.shape != FieldShape::kPlain) continue;
    Node* nested = node.Find(field.json);
    if (nested) added += AddForeignMembers(*nested, field.nested());
  }
  Node& foreign = node.children.emplace_back();
  foreign.key = "foreign";
  foreign.kind = Node::Kind::kString;
  foreign.text = "kept";
  return added;
}

size_t CountForeignMembers(const Node& node) {
  size_t count = node.StringOf("foreign") == "kept" ? 1 : 0;
  for (const Node& child : node.children) count += CountForeignMembers(child);
  return count;
}

std::string ToText(const Node& node) {
  std::string text;
  json::AppendNode(text, node);
  return text;
}

TEST_P(EveryType, DecodesWhatItEncodes) {
  RandomObjects objects(1);
  for (int i = 0; i < kRounds; ++i) {
    const auto object = Random(objects);
    const auto again = Decode(Json(object));
    ASSERT_TRUE(Equal(object, again)) << Json(object) << "\n" << Json(again);
    ASSERT_EQ(HashObject(type(), object.get()), HashObject(type(), again.get()));
    ASSERT_EQ(DiffMergePatch(type(), object.get(), again.get()), "");
  }
}

TEST_P(EveryType, CopiesAreEqualAndIndependent) {
  RandomObjects objects(2);
  for (int i = 0; i < kRounds; ++i) {
    const auto object = Random(objects);
    const auto copy = CopyObject(type(), object.get());
    ASSERT_TRUE(Equal(object, copy));
    const auto before = Json(object);
    objects.Fill(type(), copy.get());
    ASSERT_EQ(Json(object), before);
  }
}

TEST_P(EveryType, ADiffAppliedToTheFirstGivesTheSecond) {
  RandomObjects objects(3);
  for (int i = 0; i < kRounds; ++i) {
    const auto from = Random(objects, false);
    const auto to = Random(objects, false);
    const std::string patch_text = DiffMergePatch(type(), from.get(), to.get());
    ASSERT_EQ(patch_text.empty(), Equal(from, to));
    if (patch_text.empty()) continue;
    auto target = json::Document::Parse(Json(from));
    const auto patch = json::Document::Parse(patch_text);
    ASSERT_TRUE(patch.ok()) << patch.status().ToString() << "\n" << patch_text;
    ApplyMergePatch(target->root(), patch->root());
    const auto patched = Decode(ToText(target->root()));
    ASSERT_TRUE(Equal(patched, to)) << Json(from) << "\n" << Json(to) << "\n" << patch_text;
  }
}

TEST_P(EveryType, UnknownMembersOnTheServerSurviveAPatch) {
  RandomObjects objects(4);
  for (int i = 0; i < kRounds; ++i) {
    const auto from = Random(objects, false);
    const auto to = Random(objects, false);
    const std::string patch_text = DiffMergePatch(type(), from.get(), to.get());
    if (patch_text.empty()) continue;
    auto target = json::Document::Parse(Json(from));
    const size_t added = AddForeignMembers(target->root(), type());
    const auto patch = json::Document::Parse(patch_text);
    ApplyMergePatch(target->root(), patch->root());
    ASSERT_EQ(CountForeignMembers(target->root()), added) << patch_text;
    ASSERT_TRUE(Equal(Decode(ToText(target->root())), to));
  }
}

// Appends random paths of fields of `type`.
void AppendPaths(RandomObjects& objects, const TypeDescriptor& type, const std::string& prefix,
                 std::vector<std::string>& paths) {
  for (uint32_t i = 0; i < type.field_count; ++i) {
    const FieldDescriptor& field = type.fields[i];
    if (field.kind == FieldKind::kUnknownMembers || objects.Below(2) == 0) continue;
    const std::string path = prefix + field.json;
    const bool below = field.kind == FieldKind::kObject && objects.Below(3) > 0;
    if (below)
      AppendPaths(objects, field.nested(), path + ".", paths);
    else if (field.kind == FieldKind::kStringMap && field.shape == FieldShape::kPlain &&
             objects.Below(2) == 0)
      paths.push_back(path + "[" + objects.Text() + "0]");
    else
      paths.push_back(path);
  }
}

FieldSet RandomFields(RandomObjects& objects, const TypeDescriptor& type) {
  std::vector<std::string> paths;
  AppendPaths(objects, type, "", paths);
  std::erase_if(paths, [](const std::string& path) { return path.find(']') != path.rfind(']'); });
  const std::vector<std::string_view> views(paths.begin(), paths.end());
  const auto fields = FieldSet::Of(type, views);
  EXPECT_TRUE(fields.ok()) << fields.status().ToString();
  return fields.ok() ? *fields : FieldSet();
}

// The object of this JSON in a cache that keeps `fields`.
std::shared_ptr<void> Project(const TypeDescriptor& type, const std::string& json,
                              const FieldSet& fields) {
  auto object = NewObject(type);
  const Status status = DecodeJson(type, json, object.get(), fields);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return object;
}

TEST_P(EveryType, ACachedObjectContainsOnlyKeptFields) {
  RandomObjects objects(8);
  for (int i = 0; i < kRounds; ++i) {
    const FieldSet some = RandomFields(objects, type());
    const FieldSet more = some.Union(RandomFields(objects, type()));
    const std::string json = Json(Random(objects));
    const auto narrow = Project(type(), json, some);
    const auto wide = Project(type(), json, more);
    ASSERT_TRUE(more.Contains(some));
    // The result is the same when projected from the wider object.
    ASSERT_EQ(Json(Project(type(), Json(wide), some)), Json(narrow));
    ASSERT_EQ(Json(Project(type(), json, FieldSet())), json);
  }
}

// Checks that each member that a patch writes or removes is kept.
void ExpectNamesOnlyKept(const Node& patch, const TypeDescriptor& type,
                         const internal::FieldNode* kept) {
  if (!kept) return;
  for (const Node& member : patch.children) {
    const FieldDescriptor* end = type.fields + type.field_count;
    const FieldDescriptor* field =
        std::find_if(type.fields, end, [&](const auto& f) { return member.key == f.json; });
    ASSERT_NE(field, end) << member.key;
    ASSERT_NE(internal::KeepOf(kept, *field), internal::FieldNode::Keep::kNone) << member.key;
    const internal::FieldNode::Field* part = internal::PartOf(kept, *field);
    if (!part) continue;
    ASSERT_TRUE(member.IsObject()) << "a part of " << member.key << " is kept";
    if (field->kind == FieldKind::kStringMap) {
      for (const Node& entry : member.children) {
        ASSERT_TRUE(internal::KeepsKey(*part, entry.key)) << entry.key;
      }
    } else {
      ExpectNamesOnlyKept(member, field->nested(), part->nested.get());
    }
  }
}

TEST_P(EveryType, ADiffDoesNotTouchFieldsThatAreNotKept) {
  RandomObjects objects(9);
  for (int i = 0; i < kRounds; ++i) {
    const FieldSet fields = RandomFields(objects, type());
    const std::string from_json = Json(Random(objects, false));
    const std::string to_json = Json(Random(objects, false));
    const auto from = Project(type(), from_json, fields);
    const auto to = Project(type(), to_json, fields);
    const std::string patch = DiffMergePatch(type(), from.get(), to.get());
    // Either object may have been read live.
    ASSERT_EQ(DiffMergePatch(type(), Decode(from_json).get(), to.get()), patch);
    ASSERT_EQ(DiffMergePatch(type(), from.get(), Decode(to_json).get()), patch);
    ASSERT_EQ(DiffMergePatch(type(), Decode(to_json).get(), to.get()), "") << to_json;
    if (patch.empty()) continue;
    auto target = json::Document::Parse(from_json);
    const auto parsed = json::Document::Parse(patch);
    ASSERT_TRUE(parsed.ok()) << patch;
    ApplyMergePatch(target->root(), parsed->root());
    ExpectNamesOnlyKept(parsed->root(), type(), fields.node());
    const auto patched = Decode(ToText(target->root()));
    ASSERT_EQ(DiffMergePatch(type(), patched.get(), to.get()), "") << patch;
  }
}

TEST_P(EveryType, AChangeOfAnyFieldChangesEqualityAndHash) {
  RandomObjects objects(5);
  for (int i = 0; i < kRounds; ++i) {
    const auto a = Random(objects);
    const auto b = Random(objects);
    const bool same_text = Json(a) == Json(b);
    ASSERT_EQ(Equal(a, b), same_text);
    if (!same_text) {
      ASSERT_NE(HashObject(type(), a.get()), HashObject(type(), b.get()));
    }
  }
}

TEST_P(EveryType, AnEmptyObjectEncodesMandatoryFieldsAndDecodesAgain) {
  const auto object = NewObject(type());
  EXPECT_TRUE(Equal(object, Decode(Json(object))));
  EXPECT_TRUE(Equal(object, Decode("{}")));
  EXPECT_EQ(Json(object).find(R"({"apiVersion":)"), 0u);
}

TEST_P(EveryType, TruncatedTextIsRefusedAtEveryByte) {
  RandomObjects objects(6);
  const std::string text = Json(Random(objects));
  for (size_t size = 0; size < text.size(); ++size) {
    const auto object = NewObject(type());
    ASSERT_EQ(DecodeJson(type(), text.substr(0, size), object.get()).reason(),
              StatusReason::kMalformed)
        << text.substr(0, size);
  }
}

TEST_P(EveryType, MutatedTextNeverCrashes) {
  RandomObjects objects(7);
  for (int i = 0; i < kRounds; ++i) {
    std::string text = Json(Random(objects));
    for (uint64_t edits = objects.Below(4) + 1; edits > 0; --edits) {
      const size_t at = objects.Below(text.size());
      if (objects.Below(3) == 0)
        text.erase(at, objects.Below(20));
      else
        text[at] = "{}[]\",:\\0e.-\xff\x01 "[objects.Below(16)];
      if (text.empty()) text = "{";
    }
    const auto object = NewObject(type());
    const Status status = DecodeJson(type(), text, object.get());
    ASSERT_TRUE(status.ok() || status.reason() == StatusReason::kMalformed);
    if (status.ok()) {
      ASSERT_TRUE(Equal(object, Decode(Json(object))));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Objects, EveryType,
                         ::testing::ValuesIn(TypedKinds().begin(), TypedKinds().end()),
                         [](const auto& info) {
                           std::string name = info.param->name;
                           return name.substr(name.rfind(':') + 1);
                         });

}  // namespace
}  // namespace capstan
