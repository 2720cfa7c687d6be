#include "apiserver/storage/reader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "apiserver/http/api_errors.h"
#include "apiserver/schema/conversion.h"
#include "apiserver/storage/continue_token.h"

namespace capstan::testing::server {
namespace {

// Kinds without their own conversion of field labels have another error text.
bool HasFieldLabels(const Resource& resource) {
  constexpr std::array<std::string_view, 8> kWith = {
      "events",     "events.events.k8s.io",
      "namespaces", "nodes",
      "pods",       "secrets",
      "services",   "certificatesigningrequests.certificates.k8s.io"};
  return resource.own_schema ||
         std::find(kWith.begin(), kWith.end(), resource.QualifiedName()) != kWith.end();
}

Status UnknownField(const Resource& resource, const std::string& field) {
  if (resource.QualifiedName() == "jobs.batch") {
    return BadRequestError("field label " + Quoted(field) + " not supported for Job");
  }
  if (HasFieldLabels(resource)) return BadRequestError("field label not supported: " + field);
  return BadRequestError(
      Quoted(field) +
      " is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
}

bool IsMetadata(std::string_view field) {
  return field == "metadata.name" || field == "metadata.namespace";
}

void CheckList(const ListOptions& options, FieldErrors& errors) {
  const std::string& match = options.resource_version_match;
  if (!match.empty()) {
    if (options.resource_version.empty()) {
      errors.Forbidden("resourceVersionMatch",
                       "resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (!options.continue_token.empty()) {
      errors.Forbidden("resourceVersionMatch",
                       "resourceVersionMatch is forbidden when continue is provided");
    }
    if (match != "Exact" && match != "NotOlderThan") {
      errors.NotSupported("resourceVersionMatch", match, {"Exact", "NotOlderThan", ""});
    }
    if (match == "Exact" && options.resource_version == "0") {
      errors.Forbidden("resourceVersionMatch",
                       "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
  }
  if (options.send_initial_events) {
    errors.Forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list");
  }
}

void CheckWatch(const ListOptions& options, FieldErrors& errors) {
  const std::string& match = options.resource_version_match;
  if (options.send_initial_events && match != "NotOlderThan") {
    errors.Forbidden("resourceVersionMatch",
                     "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  if (match.empty()) return;
  if (!options.send_initial_events) {
    errors.Forbidden(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  }
  if (match != "NotOlderThan") {
    errors.NotSupported("resourceVersionMatch", match, {"NotOlderThan"});
  }
  if (!options.continue_token.empty()) {
    errors.Forbidden("resourceVersionMatch",
                     "resourceVersionMatch is forbidden when continue is provided");
  }
}

// A watch without a start version begins with the existing objects.
void DefaultInitialEvents(ListOptions& options) {
  if (options.send_initial_events || !options.resource_version_match.empty()) return;
  if (options.resource_version.empty() || options.resource_version == "0") {
    options.send_initial_events = true;
    options.resource_version_match = "NotOlderThan";
  }
}

// The API does not cache events. Some errors of uncached reads have other texts.
bool IsCached(const Resource& resource) { return resource.name != "events" || resource.own_schema; }

std::optional<int> RetryAfter(const Resource& resource) {
  return IsCached(resource) ? std::optional(1) : std::nullopt;
}

// The position of an object in a list, for continue tokens: its key without the prefix that is
// common to the list.
std::string KeyIn(const ApiRequest& request, const json::Value& object) {
  const json::Value& metadata = object.Get("metadata");
  const std::string& name = metadata.Get("name").AsString();
  if (!request.resource->namespaced || !request.namespace_.empty()) return name;
  return metadata.Get("namespace").AsString() + "/" + name;
}

}  // namespace

Status ObjectFilter::BindTo(const ApiRequest& request) {
  resource_ = request.resource;
  for (const FieldSelector::Term& term : fields_.terms()) {
    const auto& strategy = resource_->strategy;
    if (!strategy || !strategy->SelectableField(json::Value::Object(), term.field)) {
      return UnknownField(*resource_, term.field);
    }
  }
  return Status::Ok();
}

Result<ObjectFilter> ObjectFilter::Of(const ApiRequest& request) {
  ObjectFilter filter;
  auto labels = LabelSelector::Parse(request.query.Get("labelSelector"));
  if (!labels.ok()) return labels.status();
  auto fields = FieldSelector::Parse(request.query.Get("fieldSelector"));
  if (!fields.ok()) return fields.status();
  filter.labels_ = *std::move(labels);
  filter.fields_ = *std::move(fields);
  if (Status status = filter.BindTo(request); !status.ok()) return status;
  return filter;
}

bool ObjectFilter::Matches(const json::Value& object) const {
  const json::Value& metadata = object.Get("metadata");
  if (!labels_.Matches(metadata.Get("labels"))) return false;
  json::Value shown;  // in the form that the strategy expects
  for (const FieldSelector::Term& term : fields_.terms()) {
    std::string value;
    if (IsMetadata(term.field)) {
      value = metadata.Get(term.field.substr(term.field.find('.') + 1)).AsString();
    } else {
      if (shown.IsNull()) shown = FromStored(*resource_, object);
      value = resource_->strategy->SelectableField(shown, term.field).value_or("");
    }
    if ((value == term.value) != term.equal) return false;
  }
  return true;
}

Result<ListOptions> ListOptions::Of(const ApiRequest& request) {
  const Query& query = request.query;
  ListOptions options;
  auto timeout = query.GetInteger("timeoutSeconds");
  if (!timeout.ok()) return timeout.status();
  auto limit = query.GetInteger("limit");
  if (!limit.ok()) return limit.status();
  auto labels = LabelSelector::Parse(query.Get("labelSelector"));
  if (!labels.ok()) return labels.status();
  auto fields = FieldSelector::Parse(query.Get("fieldSelector"));
  if (!fields.ok()) return fields.status();

  options.filter.labels_ = *std::move(labels);
  options.filter.fields_ = *std::move(fields);
  options.timeout_seconds = *timeout;
  options.limit = std::max<int64_t>(limit->value_or(0), 0);
  options.resource_version = query.Get("resourceVersion");
  options.resource_version_match = query.Get("resourceVersionMatch");
  options.continue_token = query.Get("continue");
  options.allow_bookmarks = query.GetBool("allowWatchBookmarks");
  if (query.Has("sendInitialEvents")) {
    options.send_initial_events = query.GetBool("sendInitialEvents");
  }

  FieldErrors errors;
  if (request.verb == "watch") {
    DefaultInitialEvents(options);
    CheckWatch(options, errors);
  } else {
    CheckList(options, errors);
  }
  if (!errors.empty()) return InvalidError("meta.k8s.io", "ListOptions", "", errors);
  if (Status status = options.filter.BindTo(request); !status.ok()) return status;
  if (!request.name.empty()) {
    FieldSelector& selected = options.filter.fields_;
    if (!selected.terms().empty() && !selected.RequiresName(request.name)) {
      return BadRequestError("fieldSelector metadata.name doesn't match requested name");
    }
    if (selected.terms().empty()) selected = FieldSelector::OfName(request.name);
  }
  return options;
}

Result<ApiAnswer> Reader::Get(const ApiRequest& request) const {
  const auto version = ParseResourceVersion(request.query.Get("resourceVersion"));
  const Resource& resource = *request.resource;
  if (!version.ok()) {
    const std::string& why = version.status().message();
    return IsCached(resource) ? UnknownError(why)
                              : BadRequestError("invalid resource version: " + why);
  }
  const StoredObjectPtr object = store_.Get(resource.storage, {request.namespace_, request.name});
  if (const int64_t newest = store_.Version(); *version > static_cast<uint64_t>(newest)) {
    return TooLargeVersionError(*version, newest, RetryAfter(resource));
  }
  if (!object) return NotFoundError(resource, request.name);
  return ApiAnswer{200, FromStored(resource, object->value())};
}

// Returns the objects to list. `start` receives the key at which the list begins.
Result<Snapshot> Reader::SnapshotFor(const ApiRequest& request, const ListOptions& options,
                                     std::string& start) const {
  const std::string& storage = request.resource->storage;
  const std::optional<int> retry_after = RetryAfter(*request.resource);
  const std::string& asked = options.resource_version;
  if (!options.continue_token.empty()) {
    auto token = ContinueToken::Decode(options.continue_token);
    if (!token.ok()) return token.status();
    if (!asked.empty() && asked != "0") {
      return BadRequestError("specifying resource version is not allowed when using continue");
    }
    start = token->start;
    if (token->version < 0) return store_.List(storage, request.namespace_);
    auto snapshot = store_.ListAt(storage, request.namespace_, token->version);
    if (!snapshot.ok() && snapshot.status().IsGone()) {
      return ExpiredError(std::string(kInconsistentContinue));
    }
    return snapshot;
  }
  const auto version = options.Version();
  if (!version.ok()) {
    return BadRequestError("invalid resource version: " + version.status().message());
  }
  const std::string& match = options.resource_version_match;
  if (match == "Exact" || (match.empty() && options.limit > 0 && *version > 0)) {
    constexpr uint64_t kLargest = std::numeric_limits<int64_t>::max();
    if (*version > kLargest) return TooLargeVersionError(*version, store_.Version(), retry_after);
    return store_.ListAt(storage, request.namespace_, static_cast<int64_t>(*version));
  }
  Snapshot newest = store_.List(storage, request.namespace_);
  if (*version > static_cast<uint64_t>(newest.version)) {
    return TooLargeVersionError(*version, newest.version, retry_after);
  }
  return newest;
}

Result<Reader::Page> Reader::List(const ApiRequest& request) const {
  auto options = ListOptions::Of(request);
  if (!options.ok()) return options.status();
  std::string start;
  auto snapshot = SnapshotFor(request, *options, start);
  if (!snapshot.ok()) return snapshot.status();

  Page page;
  page.resource_version = std::to_string(snapshot->version);
  const auto& objects = snapshot->objects;
  const auto first = std::lower_bound(
      objects.begin(), objects.end(), start, [&](const StoredObjectPtr& object, const auto& key) {
        return !key.empty() && KeyIn(request, object->value()) < key;
      });
  // resourceVersion=0 is served from the watch cache, which ignores the limit.
  const int64_t limit = options->resource_version == "0" ? 0 : options->limit;
  const bool all = options->filter.MatchesAll();
  for (auto place = first; place != objects.end(); ++place) {
    if (!all && !options->filter.Matches((*place)->value())) continue;
    page.objects.push_back(*place);
    if (limit > 0 && static_cast<int64_t>(page.objects.size()) == limit) {
      if (place + 1 == objects.end()) break;
      std::string next = "/" + KeyIn(request, (*place)->value()) + '\0';
      page.continue_token = ContinueToken{snapshot->version, std::move(next)}.Encode();
      if (all) page.remaining = (objects.end() - first) - limit;
      break;
    }
  }
  if (IsConverted(*request.resource)) {
    for (StoredObjectPtr& object : page.objects) {
      object = std::make_shared<StoredObject>(FromStored(*request.resource, object->value()),
                                              object->version());
    }
  }
  return page;
}

std::string Reader::TokenForNewest(const ApiRequest& request) {
  auto token = ContinueToken::Decode(request.query.Get("continue"));
  if (!token.ok()) return {};
  return ContinueToken{-1, "/" + token->start}.Encode();
}

}  // namespace capstan::testing::server
