#include "random_object.h"

#include "api/field_access.h"
#include "base/json/json_text.h"

namespace capstan::testing {
namespace {

template <class T>
T& As(void* slot) {
  return *static_cast<T*>(slot);
}

}  // namespace

std::string RandomObjects::Text() {
  static const std::string kTexts[] = {"web",
                                       "default",
                                       "Ready",
                                       "Always",
                                       "True",
                                       "v1",
                                       "a-name-that-fits-no-short-string-0123456789",
                                       "quote\" backslash\\ slash/ tab\t newline\n",
                                       "\xc3\xa9t\xc3\xa9 \xf0\x9f\x9a\xa2",
                                       std::string("nul\0byte", 8),
                                       "\x01\x1f\x7f",
                                       "null",
                                       "{}",
                                       "25%",
                                       " "};
  return kTexts[Below(std::size(kTexts))];
}

std::string RandomObjects::Json(int depth) {
  std::string out;
  switch (Below(depth > 0 ? 8 : 6)) {
    case 0:
      return "true";
    case 1:
      return std::to_string(static_cast<int64_t>(random_()) >> Below(64));
    case 2:
      return "1.5e-7";
    case 3:
      return "\"500m\"";
    case 4:
    case 5:
      json::AppendString(out, Text());
      return out;
    case 6: {
      out = "[";
      for (uint64_t i = Below(3); i > 0; --i) out += Json(depth - 1) + (i > 1 ? "," : "");
      return out + "]";
    }
    default: {
      json::ObjectWriter writer(out);
      for (uint64_t i = Below(4); i > 0; --i) {
        static const char* const kKeys[] = {"x-limits", "x-labels", "x-emptyDir", "x-a/b~c"};
        writer.Key(kKeys[i - 1]);
        out += Json(depth - 1);
      }
      writer.End();
      return out;
    }
  }
}

RawJson RandomObjects::Raw() {
  // Raw parts are JSON objects.
  RawJson raw = RawJson::Object({{"x-first", Text()}});
  for (uint64_t i = Below(4); i > 0; --i) {
    raw = raw.With("/x-" + std::to_string(i), *RawJson::Parse(Json(3)));
  }
  return raw;
}

StringMap RandomObjects::Map() {
  StringMap map;
  for (uint64_t i = Below(4) + 1; i > 0; --i) map.Set(Text() + std::to_string(Below(3)), Text());
  return map;
}

void RandomObjects::Fill(const TypeDescriptor& type, void* object, bool read_only_lists) {
  for (uint32_t i = 0; i < type.field_count; ++i) {
    const FieldDescriptor& field = type.fields[i];
    if (Below(3) == 0) continue;  // a boxed member is not allocated then
    FillField(field, internal::MemberOf(field, object), read_only_lists);
  }
}

void RandomObjects::FillField(const FieldDescriptor& field, void* member, bool read_only_lists) {
  if (field.shape == FieldShape::kPlain) return FillValue(field, member, read_only_lists);
  if ((field.flags & kReadOnly) && !read_only_lists) return;
  uint64_t count = field.shape == FieldShape::kOptional ? 1 : Below(4);
  while (count-- > 0) {
    void* element = field.container->append(member);
    FillValue(field, element, read_only_lists);
  }
}

void RandomObjects::FillValue(const FieldDescriptor& field, void* slot, bool read_only_lists) {
  // 0000-01-01 to 9999-12-31, the range of RFC 3339.
  const int64_t second = static_cast<int64_t>(Below(315569520000)) - 62167219200;
  switch (field.kind) {
    case FieldKind::kBool:
      As<bool>(slot) = Below(2) == 0;
      return;
    case FieldKind::kInt32:
      As<int32_t>(slot) = static_cast<int32_t>(random_() >> Below(64));
      return;
    case FieldKind::kInt64:
      As<int64_t>(slot) = static_cast<int64_t>(random_() >> Below(64));
      return;
    case FieldKind::kString:
      As<std::string>(slot) = Text();
      return;
    case FieldKind::kInternedString:
      As<InternedString>(slot) = Text();
      return;
    case FieldKind::kUid:
      As<Uid>(slot) = Below(2) ? Text()
                               : "0f3c9a7e-1b2d-4c5e-8f90-" +
                                     std::to_string(100000000000 + Below(900000000000));
      return;
    case FieldKind::kTime:
      As<api::Time>(slot) = api::Time::FromSeconds(second);
      return;
    case FieldKind::kMicroTime:
      As<api::MicroTime>(slot) =
          api::MicroTime::FromMicroseconds(second * 1000000 + static_cast<int64_t>(Below(1000000)));
      return;
    case FieldKind::kIntOrString:
      As<api::IntOrString>(slot) = Below(2) ? api::IntOrString(static_cast<int32_t>(random_()))
                                            : api::IntOrString(InternedString(Text()));
      return;
    case FieldKind::kStringMap:
      As<StringMap>(slot) = Map();
      return;
    case FieldKind::kRawJson:
    case FieldKind::kUnknownMembers:
      As<RawJson>(slot) = Raw();
      return;
    case FieldKind::kObject:
      Fill(field.nested(), slot, read_only_lists);
      return;
  }
}

}  // namespace capstan::testing
