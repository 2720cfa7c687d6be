#include "apiserver/http/answer.h"

#include <algorithm>

#include "apiserver/codec/protobuf_encoder.h"
#include "apiserver/http/api_errors.h"
#include "apiserver/print/table.h"
#include "base/http/message_head.h"

namespace capstan::testing::server {
namespace {

class Answer : public HttpResponse {
 public:
  Answer(int code, std::string body, std::vector<std::pair<std::string, std::string>> headers)
      : code_(code), body_(std::move(body)), headers_(std::move(headers)) {}

  int status() const override { return code_; }
  std::string Header(std::string_view name) const override {
    return http::AllFieldValues(headers_, name);
  }
  Result<size_t> Read(char* buffer, size_t size) override {
    const size_t count = body_.copy(buffer, size, read_);
    read_ += count;
    return count;
  }

 private:
  const int code_;
  const std::string body_;
  const std::vector<std::pair<std::string, std::string>> headers_;
  size_t read_ = 0;
};

// The Go type in error texts: "core.ConfigMap".
std::string GoType(const Resource& resource) {
  if (resource.own_schema) return "unstructured.Unstructured";
  std::string package = resource.group.substr(0, resource.group.find('.'));
  if (package.empty() || package == "events") package = "core";
  return package + "." + resource.kind;
}

Status NotAcceptableForm(std::string_view form, const Resource& resource, bool is_list) {
  std::string message = "you requested " + std::string(form) + ", but the requested object is ";
  message +=
      is_list ? "a list (*" + GoType(resource) + "List)" : "not a list (*" + GoType(resource) + ")";
  Status::Details details;
  details.reason = StatusReason::kNotAcceptable;
  details.http_code = 406;
  details.message = std::move(message);
  return Status(std::move(details));
}

json::Value PartialOf(const json::Value& object, const MediaType& media) {
  return PartialObject(object, media.MetaApiVersion());
}

// The table of a Scale, which has no resource of its own.
Resource ScaleTable(bool custom) {
  Resource scale;
  scale.columns = {{"Name", "string", custom ? "name" : ""},
                   {"Desired", "integer", ""},
                   {"Available", "integer", ""},
                   {"Age", custom ? "date" : "string", ""}};
  scale.print = PrintScale;
  return scale;
}

std::string TextOf(json::Value table, const MediaType& media) {
  table.Set("apiVersion", media.MetaApiVersion());
  return json::ToJson(table);
}

json::Value VersionOnly(std::string_view resource_version) {
  return json::Value::Object({{"resourceVersion", resource_version}});
}

json::Value MetadataOf(const Reader::Page& page, bool custom = false) {
  json::Value metadata = VersionOnly(page.resource_version);
  // Lists of custom resources always have "continue".
  if (custom || !page.continue_token.empty()) metadata.Set("continue", page.continue_token);
  if (page.remaining) metadata.Set("remainingItemCount", *page.remaining);
  return metadata;
}

Result<std::string> Encoded(const json::Value& object, const MediaType& media) {
  return media.protobuf ? ProtobufOf(object) : json::ToJson(object);
}

Result<std::string> ProtobufList(std::string_view kind, std::string_view api_version,
                                 const Reader::Page& page) {
  json::Value::Items items;
  items.reserve(page.objects.size());
  for (const StoredObjectPtr& object : page.objects) items.push_back(object->value());
  return ProtobufOf(json::Value::Object({{"kind", kind},
                                         {"apiVersion", api_version},
                                         {"metadata", MetadataOf(page)},
                                         {"items", json::Value::Array(std::move(items))}}));
}

// Prints a list with its envelope; `print` prints the items one by one.
template <class Print>
std::string ListText(std::string_view kind, std::string_view api_version, const Reader::Page& page,
                     const Print& print, bool custom = false) {
  std::string text = R"({"kind":)" + json::ToJson(json::Value(kind));
  text += R"(,"apiVersion":)" + json::ToJson(json::Value(api_version));
  text += R"(,"metadata":)" + json::ToJson(MetadataOf(page, custom));
  text += R"(,"items":[)";
  for (const StoredObjectPtr& object : page.objects) {
    if (object != page.objects.front()) text += ',';
    text += print(*object);
  }
  return text + "]}";
}

}  // namespace

Status Presentation::Check() const {
  if (media.as == MediaType::As::kTable && !include.empty() && include != "Metadata" &&
      include != "Object" && include != "None") {
    return BadRequestError(
        "Unable to convert to Table as requested: includeObject: Invalid value: " +
        Quoted(include) + ": must be 'Metadata', 'Object', 'None', or empty");
  }
  return Status::Ok();
}

Result<std::string> PrintObject(const Resource& resource, const json::Value& object,
                                const Presentation& presentation, WallTime now) {
  if (Status status = presentation.Check(); !status.ok()) return status;
  const MediaType& media = presentation.media;
  if (object.Get("kind").AsString() == "Status") return Encoded(object, media);
  switch (media.as) {
    case MediaType::As::kObject:
      break;
    case MediaType::As::kTable: {
      const bool is_scale = object.Get("kind").AsString() == "Scale";
      // Other subresources with their own kind have no table.
      if (!is_scale && object.Get("kind").AsString() != resource.kind) break;
      const json::Value version = VersionOnly(object.Get("metadata", "resourceVersion").AsString());
      return TextOf(TableOf(is_scale ? ScaleTable(resource.own_schema != nullptr) : resource,
                            {&object}, version, presentation.include, now),
                    media);
    }
    case MediaType::As::kPartialMetadata:
      return Encoded(PartialOf(object, media), media);
    case MediaType::As::kPartialMetadataList:
      return NotAcceptableForm("PartialObjectMetadataList", resource, /*is_list=*/false);
  }
  return Encoded(object, media);
}

Result<std::string> PrintList(const Resource& resource, const Reader::Page& page,
                              const Presentation& presentation, WallTime now) {
  if (Status status = presentation.Check(); !status.ok()) return status;
  const MediaType& media = presentation.media;
  switch (media.as) {
    case MediaType::As::kObject:
      break;
    case MediaType::As::kTable: {
      std::vector<const json::Value*> objects;
      objects.reserve(page.objects.size());
      for (const StoredObjectPtr& object : page.objects) objects.push_back(&object->value());
      return TextOf(TableOf(resource, objects, MetadataOf(page), presentation.include, now), media);
    }
    case MediaType::As::kPartialMetadata:
      return NotAcceptableForm("PartialObjectMetadata", resource, /*is_list=*/true);
    case MediaType::As::kPartialMetadataList:
      if (media.protobuf) {
        return ProtobufList("PartialObjectMetadataList", media.MetaApiVersion(), page);
      }
      if (page.objects.empty()) {
        return json::ToJson(json::Value::Object({{"kind", "PartialObjectMetadataList"},
                                                 {"apiVersion", media.MetaApiVersion()},
                                                 {"metadata", MetadataOf(page)},
                                                 {"items", {}}}));
      }
      return ListText("PartialObjectMetadataList", media.MetaApiVersion(), page,
                      [&](const StoredObject& object) {
                        return json::ToJson(PartialOf(object.value(), media));
                      });
  }
  if (media.protobuf) return ProtobufList(resource.kind + "List", resource.ApiVersion(), page);
  const bool custom = resource.own_schema != nullptr;
  return ListText(
      resource.kind + "List", resource.ApiVersion(), page,
      [&](const StoredObject& object) -> const std::string& {
        return custom ? object.text() : object.item_text();
      },
      custom);
}

ObjectPrinter PrinterOf(const Resource& resource, const Presentation& presentation,
                        const Clock& clock) {
  const MediaType& media = presentation.media;
  if (media.as == MediaType::As::kObject && !media.protobuf) return {};
  if (media.as != MediaType::As::kTable) {
    return [media](const StoredObject& object) {
      const bool whole = media.as == MediaType::As::kObject;
      auto text = Encoded(whole ? object.value() : PartialOf(object.value(), media), media);
      return text.ok() ? *std::move(text) : std::string();  // all kinds that get here have a form
    };
  }
  // Only the first table of a watch contains the column definitions.
  return [&resource, &clock, presentation, first = true](const StoredObject& object) mutable {
    const json::Value version = VersionOnly(std::to_string(object.version()));
    json::Value table =
        TableOf(resource, {&object.value()}, version, presentation.include, clock.Now());
    if (!std::exchange(first, false)) table.Set("columnDefinitions", json::Value());
    return TextOf(std::move(table), presentation.media);
  };
}

std::string Indented(std::string_view json) {
  std::string out;
  size_t depth = 0;
  bool in_string = false;
  const auto new_line = [&] { out.append("\n").append(depth * 2, ' '); };
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      out += c;
      if (c == '\\' && i + 1 < json.size()) out += json[++i];
      in_string = c != '"';
      continue;
    }
    const bool opens = c == '{' || c == '[';
    if (opens && i + 1 < json.size() && (json[i + 1] == '}' || json[i + 1] == ']')) {
      out += c;
      out += json[++i];
      continue;
    }
    if (c == '}' || c == ']') {
      --depth;
      new_line();
    }
    out += c;
    in_string = c == '"';
    if (opens) ++depth;
    if (opens || c == ',') new_line();
    if (c == ':') out += ' ';
  }
  return out;
}

std::unique_ptr<HttpResponse> NewAnswer(int code, std::string body,
                                        std::vector<std::pair<std::string, std::string>> headers) {
  return std::make_unique<Answer>(code, std::move(body), std::move(headers));
}

}  // namespace capstan::testing::server
