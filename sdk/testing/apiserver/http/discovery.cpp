#include "apiserver/http/discovery.h"

#include <cctype>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <capstan/runtime/format.h>
#include <capstan/runtime/mutex.h>

#include "apiserver/http/api_errors.h"
#include "apiserver/http/group_discovery.h"
#include "apiserver/http/open_api.h"
#include "apiserver/subresource/access_review.h"
#include "base/text/joined.h"

namespace capstan::testing::server {
namespace {

using json::Value;

constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
constexpr char kJsonType[] = "application/json";
constexpr char kTextType[] = "text/plain; charset=utf-8";

// The form of the discovery documents that a client prefers.
enum class Form : uint8_t { kPlain, kAggregated, kNone };

// Whether the media range has the parameter.
bool HasParameter(std::string_view range, std::string_view parameter) {
  while (!range.empty()) {
    const size_t end = range.find(';');
    std::string_view one = range.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.substr(0, parameter.size()) == parameter) return true;
    range = end == std::string_view::npos ? "" : range.substr(end + 1);
  }
  return false;
}

Form FormOf(std::string_view accept) {
  if (accept.empty()) return Form::kPlain;
  while (!accept.empty()) {
    const size_t end = accept.find(',');
    std::string_view range = accept.substr(0, end);
    accept = end == std::string_view::npos ? "" : accept.substr(end + 1);
    while (range.starts_with(' ')) range.remove_prefix(1);
    const std::string_view type = range.substr(0, range.find(';'));
    if (type != kJsonType && type != "*/*" && type != "application/*") continue;
    if (!HasParameter(range, "as=")) return Form::kPlain;
    if (HasParameter(range, "as=APIGroupDiscoveryList") && HasParameter(range, "v=v2") &&
        !HasParameter(range, "v=v2beta") && HasParameter(range, "g=apidiscovery.k8s.io")) {
      return Form::kAggregated;
    }
  }
  return Form::kNone;
}

std::string Line(const Value& document) { return json::ToJson(document) + "\n"; }

DocumentAnswer Failure(const Status& status) {
  return {.code = status.http_code(), .body = Line(StatusObject(status))};
}

DocumentAnswer Version() {
  constexpr char kArchitecture[] =
#if defined(__aarch64__)
      "linux/arm64";
#else
      "linux/amd64";
#endif
  const Value version = Value::Object({{"major", "1"},
                                       {"minor", "36"},
                                       {"emulationMajor", "1"},
                                       {"emulationMinor", "36"},
                                       {"minCompatibilityMajor", "1"},
                                       {"minCompatibilityMinor", "35"},
                                       {"gitVersion", "v1.36.3+capstan"},
                                       {"gitCommit", ""},
                                       {"gitTreeState", ""},
                                       {"buildDate", "1970-01-01T00:00:00Z"},
                                       {"goVersion", ""},
                                       {"compiler", ""},
                                       {"platform", kArchitecture}});
  return {.body = Line(version)};
}

std::optional<DocumentAnswer> Health(const Target& target) {
  const std::string& check = target.segments[0];
  if (target.segments.size() == 1) {
    if (!target.query.Has("verbose"))
      return DocumentAnswer{.content_type = kTextType, .body = "ok"};
    return DocumentAnswer{.content_type = kTextType,
                          .body = "[+]ping ok\n" + check + " check passed\n"};
  }
  if (target.segments.size() != 2 || target.segments[1] != "ping") return std::nullopt;
  return DocumentAnswer{.content_type = kTextType, .body = "ok"};
}

// FNV-1a. Only detects differences between texts.
std::string HashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789ABCDEF"[hash >> shift & 15];
  return digits;
}

// All documents for one revision of the catalog. They are built together.
struct Documents {
  std::vector<DiscoveredGroup> groups;
  std::map<std::string, std::string, std::less<>> open_api;  // by "apis/apps/v1"
  std::string open_api_index;
};

std::string OpenApiKey(const Resource& resource) {
  return (resource.group.empty() ? "api/" : "apis/") +
         GroupVersionName(resource.group, resource.version);
}

void MakeOpenApi(const ResourceCatalog& catalog, Documents& documents) {
  std::map<std::string, std::vector<const Resource*>> versions;
  for (const Resource* resource : catalog.All())
    versions[OpenApiKey(*resource)].push_back(resource);
  Value paths = Value::Object();
  for (const auto& [key, resources] : versions) {
    std::string text = Line(OpenApiDocument(resources));
    paths.Set(key, Value::Object({{"serverRelativeURL",
                                   Format("/openapi/v3/{}?hash={}", key, HashOf(text))}}));
    documents.open_api.emplace(key, std::move(text));
  }
  documents.open_api_index = Line(Value::Object({{"paths", std::move(paths)}}));
}

}  // namespace

struct Discovery::Impl {
  explicit Impl(const ResourceCatalog& catalog) : catalog(catalog) {}

  std::shared_ptr<const Documents> Current();
  std::optional<DocumentAnswer> Serve(const Target& target, std::string_view accept);
  std::optional<DocumentAnswer> ServeGroups(const Target& target, std::string_view accept);
  std::optional<DocumentAnswer> ServeOpenApi(const Target& target, std::string_view accept);
  std::string Paths();

  const ResourceCatalog& catalog;
  Mutex mutex;
  int64_t revision CAPSTAN_GUARDED_BY(mutex) = -1;
  std::shared_ptr<const Documents> current CAPSTAN_GUARDED_BY(mutex);
};

std::shared_ptr<const Documents> Discovery::Impl::Current() {
  const int64_t newest = catalog.Revision();
  {
    const MutexLock lock(mutex);
    if (revision == newest) return current;
  }
  auto made = std::make_shared<Documents>();
  made->groups = DiscoverGroups(catalog);
  MakeOpenApi(catalog, *made);
  const MutexLock lock(mutex);
  if (newest > revision) {
    revision = newest;
    current = made;
  }
  return made;
}

// The response to a browser or to `kubectl get --raw /`.
std::string Discovery::Impl::Paths() {
  const auto documents = Current();
  Value paths = Value::Array({"/api", "/api/v1", "/apis"});
  for (const DiscoveredGroup& group : documents->groups) {
    if (group.name.empty()) continue;
    paths.Append("/apis/" + group.name);
    for (const DiscoveredVersion& version : group.versions) {
      paths.Append("/apis/" + GroupVersionName(group.name, version.version));
    }
  }
  for (const char* path : {"/healthz", "/livez", "/openapi/v3", "/readyz", "/version"}) {
    paths.Append(path);
  }
  return Line(Value::Object({{"paths", std::move(paths)}}));
}

std::optional<DocumentAnswer> Discovery::Impl::ServeGroups(const Target& target,
                                                           std::string_view accept) {
  const auto& segments = target.segments;
  const bool core = segments[0] == "api";
  const size_t version_at = core ? 1 : 2;
  if (segments.size() > version_at + 1) return std::nullopt;
  const Form form = FormOf(accept);
  if (form == Form::kNone) return Failure(NotAcceptableError(kJsonType));
  const auto documents = Current();
  if (segments.size() == 1) {
    if (form == Form::kAggregated) {
      return DocumentAnswer{.content_type = std::string(kAggregated),
                            .body = Line(AggregatedDocument(documents->groups, core))};
    }
    return DocumentAnswer{
        .body = Line(core ? ApiVersionsDocument() : GroupListDocument(documents->groups))};
  }
  const std::string group_name = core ? "" : segments[1];
  for (const DiscoveredGroup& group : documents->groups) {
    if (group.name != group_name) continue;
    if (segments.size() == version_at) return DocumentAnswer{.body = Line(GroupDocument(group))};
    for (const DiscoveredVersion& version : group.versions) {
      if (version.version == segments[version_at]) {
        return DocumentAnswer{.body = Line(ResourceListDocument(group, version))};
      }
    }
  }
  return std::nullopt;
}

std::optional<DocumentAnswer> Discovery::Impl::ServeOpenApi(const Target& target,
                                                            std::string_view accept) {
  // OpenAPI v2 is not served. Clients handle its absence.
  if (target.segments.size() < 2 || target.segments[1] != "v3") return std::nullopt;
  if (FormOf(accept) == Form::kNone) return Failure(NotAcceptableError(kJsonType));
  const auto documents = Current();
  if (target.segments.size() == 2) return DocumentAnswer{.body = documents->open_api_index};
  const auto document = documents->open_api.find(
      text::Joined({target.segments.begin() + 2, target.segments.end()}, "/"));
  if (document == documents->open_api.end()) return std::nullopt;
  return DocumentAnswer{.body = document->second};
}

std::optional<DocumentAnswer> Discovery::Impl::Serve(const Target& target,
                                                     std::string_view accept) {
  if (target.segments.empty()) return DocumentAnswer{.body = Paths()};
  const std::string& first = target.segments[0];
  if (first == "api" || first == "apis") return ServeGroups(target, accept);
  if (first == "openapi") return ServeOpenApi(target, accept);
  if (first == "healthz" || first == "livez" || first == "readyz") return Health(target);
  if (first == "version" && target.segments.size() == 1) return Version();
  return std::nullopt;
}

Discovery::Discovery(const ResourceCatalog& catalog) : impl_(std::make_unique<Impl>(catalog)) {}
Discovery::~Discovery() = default;

std::optional<DocumentAnswer> Discovery::Serve(std::string_view method, const Target& target,
                                               std::string_view accept, std::string_view body,
                                               const User& user) {
  const auto& segments = target.segments;
  // /apis/GROUP/v1/REVIEWS, or below a namespace
  const bool below_namespace = segments.size() == 6 && segments[3] == "namespaces";
  if ((segments.size() == 4 || below_namespace) && segments[0] == "apis" && segments[2] == "v1" &&
      IsReview(segments[1], segments.back())) {
    if (method != "POST") {
      return Failure(
          MethodNotAllowedError("the server does not allow this method on the requested resource"));
    }
    const auto answer = AnswerReview(segments[1], segments.back(), body, user);
    if (!answer) return Failure(answer.status());
    return DocumentAnswer{.code = 201, .body = Line(*answer)};
  }
  if (method != "GET" && method != "HEAD") return std::nullopt;
  return impl_->Serve(target, accept);
}

}  // namespace capstan::testing::server
