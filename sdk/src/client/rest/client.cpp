#include <capstan/client/client.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/list_reader.h"
#include "api/protobuf/envelope.h"
#include "api/protobuf/list_reader.h"
#include "api/protobuf/object.h"
#include "base/json/json_tree.h"
#include "client/rest/api_status.h"
#include "client/rest/client_patch.h"
#include "client/rest/client_shared.h"
#include "client/rest/client_target.h"
#include "client/rest/watch_stream.h"
#include "client/rest/wire_format.h"

#include <capstan/client/rest_config.h>
#include <capstan/runtime/format.h>

namespace capstan {
namespace {

constexpr std::string_view kPartialObject = "PartialObjectMetadata";
constexpr std::string_view kPartialList = "PartialObjectMetadataList";
// How long a watch may exceed the timeout that the server was asked for. After that, the client
// notices a connection that died silently.
constexpr Duration kWatchGrace = std::chrono::seconds(30);
// The timeout of a list that may come in one response. A server ends requests after 60 s by default
// (--request-timeout), and needs seconds for 50,000 pods.
constexpr Duration kWholeListTimeout = std::chrono::seconds(90);

// Explains a 2xx response that does not decode (`decoded` is not OK) or has no name: it holds an
// error, something else, or an object of a kind without names.
Status ExplainAnswer(const TypeDescriptor& type, const std::string& body, const Status& decoded) {
  if (const std::optional<Status> status = ParseApiStatus(body, 0)) {
    if (!status->ok()) return *status;
    return Status::Malformed(Format("got a Status instead of a {}", type.resource->kind));
  }
  // Protobuf does not decode as another kind.
  if (!decoded.ok() || body.starts_with(protobuf::kMagic)) return decoded;
  const Result<json::Document> document = json::Document::Parse(body);
  if (!document) return document.status();
  const std::string_view kind = document->root().StringOf("kind");
  if (kind == type.resource->kind) return Status::Ok();
  if (type.resource->metadata_only && kind == kPartialObject) return Status::Ok();
  return Status::Malformed(
      Format("got an object of kind \"{}\" instead of a {}", kind, type.resource->kind));
}

// The objects of this response are only identified, not decoded.
FieldSet MetadataOnly(const TypeDescriptor& type) {
  const Result<FieldSet> fields = FieldSet::Of(type, {});
  return fields ? *fields : FieldSet();
}

Status DecodeBody(const TypeDescriptor& type, const std::string& body, const FieldSet& fields,
                  void* object) {
  return body.starts_with(protobuf::kMagic) ? protobuf::DecodeObject(type, body, object, fields)
                                            : DecodeJson(type, body, object, fields);
}

Result<ObjectPtr> DecodeAnswer(const TypeDescriptor& type, const HttpRequest& request,
                               const FieldSet& fields, const std::string& body) {
  const std::shared_ptr<void> object = NewObject(type);
  Status status = DecodeBody(type, body, fields, object.get());
  if (!status.ok() || MetadataOf(type, object.get()).name.empty()) {
    status = ExplainAnswer(type, body, status);
  }
  if (!status.ok()) {
    return status.WithContext(
        Format("{} {}: the response", request.method,
               std::string_view(request.target).substr(0, request.target.find('?'))));
  }
  return ObjectPtr(object);
}

// Whether the server does not support a list by watch: it is too old, or its feature gate is off.
bool IsRefusal(const Status& status) {
  return status.reason() == StatusReason::kInvalid || status.reason() == StatusReason::kBadRequest;
}

// Feeds the body to `reader` as it arrives. Returns its size.
Result<size_t> FeedBody(HttpResponse& response, ListReader& reader) {
  constexpr size_t kBlock = size_t{64} << 10;
  const auto block = std::make_unique<char[]>(kBlock);
  size_t size = 0;
  while (true) {
    const Result<size_t> count = response.Read(block.get(), kBlock);
    if (!count) return count.status();
    if (*count == 0) return size;
    size += *count;
    if (Status status = reader.Feed({block.get(), *count}); !status.ok()) {
      return status.WithContext("the response");
    }
  }
}

// Reads a list into `list`, whatever it holds from an earlier attempt.
Result<size_t> ReadList(const TypeDescriptor& type, const FieldSet& fields, HttpResponse& response,
                        ObjectList& list) {
  list = {};
  const ListSink sink{.on_item =
                          [&](ObjectPtr item) {
                            const NamespacedName name = api::NameOf(MetadataOf(type, item.get()));
                            if (name.name.empty()) {
                              ReportMalformedObject(type, name,
                                                    Status::Malformed("metadata.name: empty"));
                            } else {
                              list.items.push_back(std::move(item));
                            }
                          },
                      .on_malformed =
                          [&](const NamespacedName& name, const Status& status) {
                            ReportMalformedObject(type, name, status);
                            if (!name.name.empty()) list.malformed.push_back(name);
                          }};
  const std::unique_ptr<ListReader> reader =
      FormatOf(response.Header("Content-Type")) == WireFormat::kProtobuf
          ? protobuf::NewListReader(type, sink, fields)
          : NewJsonListReader(type, sink, fields);
  Result<size_t> size = FeedBody(response, *reader);
  if (!size) return size;
  Result<ListMetadata> metadata = reader->Finish();
  if (!metadata) return metadata.status().WithContext("the response");
  // If another object were taken for an empty list, it would clear a whole cache.
  if (metadata->resource_version.empty()) {
    return Status::Malformed("the response: metadata.resourceVersion: missing in a list");
  }
  list.resource_version = std::move(metadata->resource_version);
  list.continue_token = std::move(metadata->continue_token);
  return size;
}

// Returns null if `json` does not decode.
ObjectPtr DecodeSent(const TypeDescriptor& type, std::string_view json) {
  const std::shared_ptr<void> sent = NewObject(type);
  return DecodeJson(type, json, sent.get(), MetadataOnly(type)).ok() ? sent : nullptr;
}

}  // namespace

Client::Client(std::shared_ptr<Transport> transport, Runtime& runtime, ClientOptions options)
    : shared_(std::make_shared<Shared>(std::move(transport), runtime, std::move(options))),
      user_agent_(shared_->options.user_agent.empty() ? DefaultUserAgent()
                                                      : shared_->options.user_agent) {}
WriteObserver::~WriteObserver() = default;
Status WriteObserver::MayWrite(const TypeDescriptor&, const NamespacedName&, const ObjectPtr&) {
  return Status::Ok();
}

Status WriteObserver::MayPatch(const TypeDescriptor&, const NamespacedName&) {
  return Status::Ok();
}
WriteFence::~WriteFence() = default;
Client::~Client() = default;
Client::Client(const Client&) = default;
Client& Client::operator=(const Client&) = default;

Client Client::WithStop(std::stop_token stop) const {
  Client client = *this;
  client.stop_ = std::move(stop);
  return client;
}

Client Client::WithUserAgent(std::string_view component) const {
  Client client = *this;
  client.user_agent_ = DefaultUserAgent(component);
  return client;
}

Client Client::WithWriteObserver(std::shared_ptr<WriteObserver> observer) const {
  Client client = *this;
  client.observer_ = std::move(observer);
  return client;
}

Client Client::WithWriteFence(std::shared_ptr<const WriteFence> fence) const {
  Client client = *this;
  client.fence_ = std::move(fence);
  return client;
}

Client Client::InBackground() const {
  Client client = *this;
  client.in_background_ = true;
  return client;
}

Client Client::WithTransport(std::shared_ptr<Transport> transport) const {
  Client client = *this;
  client.shared_ = std::make_shared<Shared>(std::move(transport), shared_->runtime,
                                            shared_->options, shared_->activity);
  return client;
}

HttpRequest Client::NewRequest(std::string_view method, std::string target, std::string_view body,
                               std::string_view content_type) const {
  HttpRequest request;
  request.method = method;
  request.target = std::move(target);
  request.headers = {{"Accept", std::string(kJsonType)}, {"User-Agent", user_agent_}};
  if (!body.empty()) {
    request.headers.emplace_back("Content-Type", content_type);
    request.body = body;
  }
  request.timeout = shared_->options.timeout;
  return request;
}

// Every method except GET is a write.
Result<std::string> Client::Exchange(const HttpRequest& request) const {
  std::string text;
  const BodyUse use{.read = [&](HttpResponse& response) -> Result<size_t> {
    Result<std::string> body = ReadAll(response, kObjectLimit);
    if (!body) return body.status();
    text = std::move(*body);
    return text.size();
  }};
  const WriteFence* fence = request.method == "GET" ? nullptr : fence_.get();
  Status status = shared_->Exchange(request, stop_, use, fence, in_background_);
  if (!status.ok()) return status;
  return text;
}

// Another kind (a Scale) decodes as `type` only by the names of JSON.
HttpRequest Client::Accepting(HttpRequest request, const TypeDescriptor& type,
                              const FieldSet& fields, std::string_view partial,
                              bool same_kind) const {
  const bool allow_protobuf = shared_->options.protobuf && same_kind;
  request.headers.front().second = AcceptFor(type, fields, partial, allow_protobuf);
  return request;
}

Result<ObjectPtr> Client::ExchangeObject(const TypeDescriptor& type, HttpRequest request,
                                         const FieldSet& fields, bool same_kind) const {
  request = Accepting(std::move(request), type, fields, kPartialObject, same_kind);
  const Result<std::string> body = Exchange(request);
  if (!body) return body.status();
  return DecodeAnswer(type, request, fields, *body);
}

Result<ObjectPtr> Client::Get(const TypeDescriptor& type, const NamespacedName& name) const {
  Result<std::string> path = ObjectPath(type, name);
  if (!path) return path.status();
  return ExchangeObject(type, NewRequest("GET", std::move(*path)));
}

Result<ObjectList> Client::List(const TypeDescriptor& type, std::string_view namespace_,
                                const ListOptions& options) const {
  Result<std::string> path = CollectionPath(type, namespace_);
  if (!path) return path.status();
  HttpRequest request =
      Accepting(NewRequest("GET", *path + QueryOf(options)), type, options.fields, kPartialList);
  if (options.limit == 0 || options.resource_version == "0") {
    request.timeout = std::max(shared_->options.timeout, kWholeListTimeout);
  }
  ObjectList list;
  const BodyUse use{
      .read =
          [&](HttpResponse& response) { return ReadList(type, options.fields, response, list); },
      .is_long = true};
  Status status = shared_->Exchange(request, stop_, use, nullptr, in_background_);
  if (!status.ok()) return status;
  return list;
}

Result<std::unique_ptr<WatchStream>> Client::Watch(const TypeDescriptor& type,
                                                   std::string_view namespace_,
                                                   const WatchOptions& options) const {
  Result<std::string> path = CollectionPath(type, namespace_);
  if (!path) return path.status();
  HttpRequest request =
      Accepting(NewRequest("GET", *path + QueryOf(options)), type, options.fields, kPartialObject);
  request.timeout.reset();
  if (options.timeout) request.timeout = *options.timeout + kWatchGrace;
  RefusedWatchLists& refused = shared_->refused_watch_lists;
  if (options.send_initial_events) {
    std::optional<Status> earlier = refused.Find(type.resource->group, shared_->runtime.Now());
    if (earlier) return *std::move(earlier);
  }
  Result<std::unique_ptr<HttpResponse>> response = shared_->Open(request, stop_);
  if (!response) {
    if (options.send_initial_events && IsRefusal(response.status())) {
      refused.Add(type.resource->group, response.status(), shared_->runtime.Now());
    }
    return response.status();
  }
  return std::unique_ptr<WatchStream>(std::make_unique<HttpWatchStream>(
      type, std::move(*response), HttpWatchStream::kDefaultFrameLimit, options.fields,
      options.send_initial_events));
}

Result<ObjectPtr> Client::Create(const TypeDescriptor& type, std::string_view namespace_,
                                 std::string_view json, const TypeDescriptor* decode_as) const {
  Result<std::string> path = CollectionPath(type, namespace_);
  if (!path) return path.status();
  if (type.resource->namespaced && namespace_.empty()) {
    return Status::InvalidArgument(Format("a new {} needs a namespace", type.resource->kind));
  }
  const TypeDescriptor& answer_type = decode_as ? *decode_as : type;
  const HttpRequest request = NewRequest("POST", std::move(*path), json, kJsonType);
  const NamespacedName name{std::string(namespace_), {}};
  const ObjectPtr sent = observer_ ? DecodeSent(answer_type, json) : nullptr;
  if (sent) {
    Status allowed = observer_->MayWrite(answer_type, name, sent);
    if (!allowed.ok()) return allowed;
  }
  Result<ObjectPtr> created =
      ExchangeObject(answer_type, request, decode_as ? MetadataOnly(answer_type) : FieldSet());
  if (!observer_) return created;
  if (created) {
    observer_->Written(answer_type, *created);
  } else if (sent && created.status().IsAmbiguous()) {
    observer_->Lost(answer_type, name, sent);
  }
  return created;
}

Result<ObjectPtr> Client::Patch(const TypeDescriptor& type, const NamespacedName& name,
                                PatchType patch, std::string_view body,
                                std::string_view subresource) const {
  Result<std::string> path = ObjectPath(type, name, subresource);
  if (!path) return path.status();
  if (observer_ && subresource.empty()) {
    if (Status allowed = observer_->MayPatch(type, name); !allowed.ok()) return allowed;
  }
  const bool same_kind = subresource.empty() || subresource == "status";
  Result<ObjectPtr> patched = ExchangeObject(
      type, NewRequest("PATCH", std::move(*path), body, ContentTypeOf(patch)), {}, same_kind);
  if (!observer_) return patched;
  if (patched) {
    observer_->Written(type, *patched);
  } else if (patched.status().IsAmbiguous()) {
    observer_->Lost(type, name, nullptr);
  }
  return patched;
}

Result<ObjectPtr> Client::PatchDifference(const TypeDescriptor& type, const void* from,
                                          const void* to, std::string_view subresource) const {
  const api::ObjectMeta& metadata = MetadataOf(type, from);
  if (metadata.resourceVersion.empty()) {
    return Status::InvalidArgument(Format("{} \"{}\" cannot be patched: it has no resourceVersion",
                                          QualifiedResource(type), metadata.name));
  }
  if (Status kept = CheckDifferenceIsKept(type, from, to); !kept.ok()) return kept;
  const Result<std::string> patch =
      GuardedMergePatch(DiffMergePatch(type, from, to), metadata, subresource);
  if (!patch) return patch.status();
  if (patch->empty()) return ObjectPtr();
  return Patch(type, api::NameOf(metadata), PatchType::kMerge, *patch, subresource);
}

Status Client::Delete(const TypeDescriptor& type, const NamespacedName& name,
                      const DeleteOptions& options) const {
  Result<std::string> path = ObjectPath(type, name);
  if (!path) return path.status();
  const HttpRequest request =
      Accepting(NewRequest("DELETE", std::move(*path), DeleteOptionsJson(options), kJsonType), type,
                MetadataOnly(type), kPartialObject);
  if (observer_) {
    if (Status allowed = observer_->MayWrite(type, name, nullptr); !allowed.ok()) return allowed;
    observer_->Deleting(type, name);
  }
  const Result<std::string> body = Exchange(request);
  // The body is the last state of the object, or a Status.
  Status outcome = body ? ParseApiStatus(*body, 0).value_or(Status::Ok()) : body.status();
  if (observer_) observer_->Deleted(type, name, outcome);
  return outcome;
}

Result<std::string> Client::CreateSubresource(const TypeDescriptor& type,
                                              const NamespacedName& name,
                                              std::string_view subresource,
                                              std::string_view json) const {
  Result<std::string> path = ObjectPath(type, name, subresource);
  if (!path) return path.status();
  return Exchange(NewRequest("POST", std::move(*path), json, kJsonType));
}

Result<std::string> Client::GetPath(std::string_view path) const {
  if (!path.starts_with('/')) {
    return Status::InvalidArgument(Format("\"{}\" is not a path: it does not begin with /", path));
  }
  HttpRequest request = NewRequest("GET", std::string(path));
  request.headers.front().second += ", */*";
  return Exchange(request);
}

}  // namespace capstan
