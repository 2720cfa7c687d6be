#include <capstan/testing/api_server.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "apiserver/codec/protobuf_body.h"
#include "apiserver/codec/protobuf_encoder.h"
#include "apiserver/http/answer.h"
#include "apiserver/http/api_errors.h"
#include "apiserver/http/discovery.h"
#include "apiserver/http/route.h"
#include "apiserver/http/warnings.h"
#include "apiserver/schema/definition.h"
#include "apiserver/storage/garbage_collector.h"
#include "apiserver/storage/reader.h"
#include "apiserver/storage/watch.h"
#include "apiserver/storage/writer.h"
#include "base/http/message_head.h"
#include "base/text/ascii.h"

namespace capstan::testing {

using server::ApiRequest;
using server::MediaType;
using server::Presentation;
using server::Route;

namespace {

constexpr std::string_view kDefinitions = "customresourcedefinitions.apiextensions.k8s.io";

using Headers = std::vector<std::pair<std::string, std::string>>;
using ResponsePtr = std::unique_ptr<HttpResponse>;

std::string HeaderOf(const HttpRequest& request, std::string_view name) {
  return http::AllFieldValues(request.headers, name);
}

void AddWarnings(const server::Warnings& warnings, Headers& headers) {
  if (warnings.texts().empty()) return;
  for (std::string& value : warnings.HeaderValues()) {
    headers.emplace_back("Warning", std::move(value));
  }
}

ResponsePtr ErrorAnswer(const Status& status, const MediaType& media = {},
                        const server::Warnings& warnings = {},
                        std::string_view continue_token = {}) {
  json::Value object = server::StatusObject(status);
  if (!continue_token.empty()) object.Mutable("metadata", "continue") = continue_token;
  const bool protobuf = media.protobuf;
  Headers headers = {{"Content-Type", protobuf ? media.ContentType() : "application/json"}};
  AddWarnings(warnings, headers);
  if (const auto retry = status.retry_after()) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*retry).count();
    if (seconds > 0) headers.emplace_back("Retry-After", std::to_string(seconds));
  }
  const auto code = static_cast<int>(object.Get("code").AsInteger());
  std::string body = protobuf ? *server::ProtobufOf(object) : json::ToJson(object) + "\n";
  return server::NewAnswer(code, std::move(body), std::move(headers));
}

ResponsePtr NotFoundPage() {
  return server::NewAnswer(404, "404 page not found\n",
                           {{"Content-Type", "text/plain; charset=utf-8"}});
}

// The response of Go's HTTP server before the API sees the request.
ResponsePtr BadTargetPage() {
  return server::NewAnswer(400, "400 Bad Request", {{"Content-Type", "text/plain; charset=utf-8"}});
}

// Responses for humans are indented.
bool WantsIndent(const ApiRequest& request, const MediaType& media) {
  if (media.pretty) return true;
  if (!request.query.Get("pretty").empty()) return request.query.GetBool("pretty");
  const std::string_view agent = request.user_agent;
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

ResponsePtr TextAnswer(const ApiRequest& request, const MediaType& media, int code,
                       std::string body, const server::Warnings& warnings = {}) {
  Headers headers = {{"Content-Type", media.ContentType()}};
  AddWarnings(warnings, headers);
  if (media.protobuf) return server::NewAnswer(code, std::move(body), std::move(headers));
  if (WantsIndent(request, media)) body = server::Indented(body);
  return server::NewAnswer(code, std::move(body) + "\n", std::move(headers));
}

Result<MediaType> MediaOf(const ApiRequest& request) {
  const auto endpoint = request.verb == "watch" ? server::Endpoint::kWatch
                        : request.name.empty()  ? server::Endpoint::kCollection
                                                : server::Endpoint::kObject;
  const server::Resource& resource = *request.resource;
  auto encodings = server::Encodings::kAll;
  if (resource.own_schema) {
    encodings = server::Encodings::kCustom;
  } else if (!server::HasProtobufForm(resource.ApiVersion(), resource.kind)) {
    encodings = server::Encodings::kNoProtobuf;
  }
  return server::Negotiate(request.accept, endpoint, encodings);
}

constexpr std::string_view kApplyPatch = "application/apply-patch+yaml";

// Errors: UnsupportedMediaType.
Status CheckPatchType(const ApiRequest& request) {
  const std::string& type = request.content_type;
  const bool custom = request.resource->own_schema != nullptr;
  if (type == "application/json-patch+json" || type == "application/merge-patch+json" ||
      type == kApplyPatch || (type == "application/strategic-merge-patch+json" && !custom)) {
    return Status::Ok();
  }
  if (!custom) return server::GenericError(415, "415: Unsupported Media Type");
  return server::UnsupportedMediaTypeError(
      "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
}

Status CheckContentType(const ApiRequest& request) {
  if (request.verb == "patch") return CheckPatchType(request);
  const bool deletes = request.verb == "delete" || request.verb == "deletecollection";
  if (deletes && request.body.empty()) return Status::Ok();
  const std::string& type = request.content_type;
  const bool custom = request.resource->own_schema != nullptr;
  if (type.empty() || type == "application/json" || type == "application/yaml" ||
      (type == "application/vnd.kubernetes.protobuf" && !custom)) {
    return Status::Ok();
  }
  return server::UnsupportedMediaTypeError(
      "application/json, application/yaml, application/vnd.kubernetes.protobuf");
}

// Returns `request` with its protobuf body converted to JSON. Returns nullopt if there is nothing
// to convert. Custom resources have no protobuf form.
Result<std::optional<HttpRequest>> WithoutProtobuf(const HttpRequest& request) {
  std::optional<HttpRequest> changed;
  if (request.body.empty() ||
      server::MediaTypeName(HeaderOf(request, "Content-Type")) != server::kProtobuf) {
    return changed;
  }
  auto body = server::JsonOfProtobuf(request.body);
  if (!body.ok()) return body.status();
  if (!*body) return changed;
  changed = request;
  changed->body = **std::move(body);
  for (auto& [name, value] : changed->headers) {
    if (text::EqualIgnoringCase(name, "Content-Type")) value = "application/json";
  }
  return changed;
}

bool IsRead(std::string_view verb) { return verb == "get" || verb == "list" || verb == "watch"; }

// The spelling of a verb in kube-apiserver's metrics.
std::string_view MetricVerb(std::string_view verb) {
  constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
      {"get", "GET"},     {"list", "LIST"},     {"watch", "WATCH"},
      {"create", "POST"}, {"update", "PUT"},    {"patch", "PATCH"},
      {"apply", "APPLY"}, {"delete", "DELETE"}, {"deletecollection", "DELETECOLLECTION"}};
  for (const auto& [known, spelt] : kVerbs) {
    if (verb == known) return spelt;
  }
  return verb;
}

// The CustomResourceDefinition of a resource that accepts any fields.
json::Value DefinitionOf(const CustomResource& resource) {
  using json::Value;
  const Value names = Value::Object({{"plural", resource.plural},
                                     {"singular", text::Lower(resource.kind)},
                                     {"kind", resource.kind},
                                     {"listKind", resource.kind + "List"}});
  const Value schema =
      Value::Object({{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}});
  const Value version =
      Value::Object({{"name", resource.version},
                     {"served", true},
                     {"storage", true},
                     {"schema", Value::Object({{"openAPIV3Schema", schema}})},
                     {"subresources", Value::Object({{"status", Value::Object()}})}});
  return Value::Object(
      {{"apiVersion", "apiextensions.k8s.io/v1"},
       {"kind", "CustomResourceDefinition"},
       {"metadata", Value::Object({{"name", resource.plural + "." + resource.group}})},
       {"spec", Value::Object({{"group", resource.group},
                               {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
                               {"names", names},
                               {"versions", Value::Array({version})}})}});
}

}  // namespace

struct ApiServer::Impl {
  Impl(Runtime& used_runtime, ApiServerOptions used_options);

  Result<ResponsePtr> Serve(const HttpRequest& request, const ApiUser& user, std::stop_token stop);
  Result<ResponsePtr> ServeResource(const HttpRequest& http, const server::Target& target,
                                    Route route, const ApiUser& user, std::stop_token stop);
  ResponsePtr ServeDocument(const HttpRequest& http, const server::Target& target,
                            const ApiUser& user, const Status& no_route);
  Result<ResponsePtr> Answer(ApiRequest& request, std::stop_token stop);
  void Count(const ApiRequest& request, int code) const;
  Result<ResponsePtr> Dispatch(ApiRequest& request, const MediaType& media,
                               server::Warnings& warnings, std::stop_token stop);
  void CreateSystemNamespaces();
  Result<ResponsePtr> List(const ApiRequest& request, const Presentation& presentation,
                           const server::Warnings& warnings);
  Result<ResponsePtr> Watch(const ApiRequest& request, const Presentation& presentation,
                            std::stop_token stop);
  void CloseWatches() CAPSTAN_EXCLUDES(mutex);
  Status Restore(std::string_view saved);

  Runtime& runtime;
  const ApiServerOptions options;
  server::ResourceCatalog catalog;
  server::Store store;
  server::Reader reader;
  server::Writer writer;
  server::Discovery discovery;
  std::unique_ptr<server::GarbageCollector> collector;
  Mutex mutex;
  std::stop_source closing CAPSTAN_GUARDED_BY(mutex);  // stops the watches that are open now
};

ApiServer::Impl::Impl(Runtime& used_runtime, ApiServerOptions used_options)
    : runtime(used_runtime),
      options(used_options),
      store(runtime, options.history),
      reader(store),
      writer(store, catalog, runtime, options.validation),
      discovery(catalog) {
  CreateSystemNamespaces();
  if (options.garbage_collection) {
    collector = std::make_unique<server::GarbageCollector>(store, catalog, runtime);
  }
}

void ApiServer::Impl::CreateSystemNamespaces() {
  const server::Resource* namespaces = catalog.Find("", "v1", "namespaces");
  for (const char* name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
    const std::string body =
        json::ToJson(json::Value::Object({{"metadata", json::Value::Object({{"name", name}})}}));
    ApiRequest request;
    request.verb = "create";
    request.resource = namespaces;
    request.body = body;
    server::Warnings warnings;
    static_cast<void>(writer.Serve(request, warnings));  // the namespaces do not exist yet
  }
}

Result<ResponsePtr> ApiServer::Impl::Serve(const HttpRequest& request, const ApiUser& user,
                                           std::stop_token stop) {
  if (stop.stop_requested()) return Status::Canceled();
  if (request.body.size() <= options.max_body) {
    const auto plain = WithoutProtobuf(request);
    if (!plain.ok()) return ErrorAnswer(plain.status());
    if (*plain) return Serve(**plain, user, std::move(stop));
  }
  const auto target = server::ParseTarget(request.target);
  if (!target.ok()) {
    const bool malformed = target.status().reason() == StatusReason::kMalformed;
    return malformed ? BadTargetPage() : ErrorAnswer(target.status());
  }
  if (!server::IsResourcePath(*target)) {
    const bool core = !target->segments.empty() && target->segments[0] == "api";
    return ServeDocument(request, *target, user, core ? server::NoSuchPathError() : Status::Ok());
  }
  auto route = server::FindRoute(request.method, *target, catalog);
  if (!route.ok() && !route.status().IsNotFound()) return ErrorAnswer(route.status());
  if (!route.ok() || !route->resource) {
    return ServeDocument(request, *target, user, route.status());
  }
  return ServeResource(request, *target, *std::move(route), user, std::move(stop));
}

// `no_route` is the reason why the path is not a resource path, if known.
ResponsePtr ApiServer::Impl::ServeDocument(const HttpRequest& http, const server::Target& target,
                                           const ApiUser& user, const Status& no_route) {
  const auto document = discovery.Serve(http.method, target, HeaderOf(http, "Accept"), http.body,
                                        {user.name, user.uid, user.groups});
  if (document) {
    return server::NewAnswer(document->code, document->body,
                             {{"Content-Type", document->content_type}});
  }
  return no_route.ok() ? NotFoundPage() : ErrorAnswer(no_route);
}

Result<ResponsePtr> ApiServer::Impl::ServeResource(const HttpRequest& http,
                                                   const server::Target& target, Route route,
                                                   const ApiUser& user, std::stop_token stop) {
  ApiRequest request;
  request.verb = std::move(route.verb);
  request.resource = route.resource;
  request.namespace_ = std::move(route.namespace_);
  request.name = std::move(route.name);
  request.subresource = std::move(route.subresource);
  request.query = target.query;
  request.body = http.body;
  request.content_type = server::MediaTypeName(HeaderOf(http, "Content-Type"));
  request.accept = HeaderOf(http, "Accept");
  request.user_agent = HeaderOf(http, "User-Agent");
  request.user = {user.name, user.uid, user.groups};

  auto response = Answer(request, std::move(stop));
  if (response.ok()) Count(request, (*response)->status());
  return response;
}

Result<ResponsePtr> ApiServer::Impl::Answer(ApiRequest& request, std::stop_token stop) {
  const auto media = MediaOf(request);
  const MediaType error_media = media.ok() ? *media : MediaType();
  server::Warnings warnings;
  if (const std::string_view text = request.resource->traits.deprecation; !text.empty()) {
    warnings.Add(std::string(text));
  }
  if (!IsRead(request.verb)) {
    // An update checks its options first; ReadBody checks its type.
    const Status type = request.verb == "update" ? Status::Ok() : CheckContentType(request);
    if (!type.ok()) {
      return ErrorAnswer(type, error_media,
                         request.verb == "patch" ? server::Warnings() : warnings);
    }
    if (request.body.size() > options.max_body) {
      return ErrorAnswer(
          server::RequestTooLargeError("limit is " + std::to_string(options.max_body)), error_media,
          warnings);
    }
  }
  if (request.verb == "patch" && request.content_type == kApplyPatch) request.verb = "apply";
  if (!media.ok()) return ErrorAnswer(media.status());
  auto answer = Dispatch(request, *media, warnings, std::move(stop));
  if (answer.ok()) return answer;
  const bool can_continue = request.verb == "list" && answer.status().IsGone();
  return ErrorAnswer(answer.status(), error_media, warnings,
                     can_continue ? server::Reader::TokenForNewest(request) : std::string());
}

void ApiServer::Impl::Count(const ApiRequest& request, int code) const {
  if (!options.metrics) return;
  const server::Resource& resource = *request.resource;
  options.metrics
      ->NewCounter("apiserver_request_total", "Requests by verb, resource and HTTP status code.",
                   {{"verb", std::string(MetricVerb(request.verb))},
                    {"group", resource.group},
                    {"version", resource.version},
                    {"resource", resource.name},
                    {"subresource", request.subresource},
                    {"code", std::to_string(code)}})
      .Increment();
}

Result<ResponsePtr> ApiServer::Impl::Dispatch(ApiRequest& request, const MediaType& media,
                                              server::Warnings& warnings, std::stop_token stop) {
  const Presentation presentation{media, std::string(request.query.Get("includeObject"))};
  if (request.verb == "list") return List(request, presentation, warnings);
  if (request.verb == "watch") return Watch(request, presentation, std::move(stop));
  const server::Subresource* part = request.resource->FindSubresource(request.subresource);
  const bool reads_object =
      request.verb == "get" && (!part || request.resource->IsObjectPart(*part));
  auto answer = reads_object ? reader.Get(request) : writer.Serve(request, warnings);
  if (!answer.ok()) return answer.status();
  auto text =
      server::PrintObject(*request.resource, answer->object, presentation, runtime.clock().Now());
  if (!text.ok()) return text.status();
  return TextAnswer(request, media, answer->code, *std::move(text), warnings);
}

Result<ResponsePtr> ApiServer::Impl::List(const ApiRequest& request,
                                          const Presentation& presentation,
                                          const server::Warnings& warnings) {
  const auto page = reader.List(request);
  if (!page.ok()) return page.status();
  auto text = server::PrintList(*request.resource, *page, presentation, runtime.clock().Now());
  if (!text.ok()) return text.status();
  return TextAnswer(request, presentation.media, 200, *std::move(text), warnings);
}

Result<ResponsePtr> ApiServer::Impl::Watch(const ApiRequest& request,
                                           const Presentation& presentation, std::stop_token stop) {
  if (auto options = server::ListOptions::Of(request); !options.ok()) return options.status();
  if (Status status = presentation.Check(); !status.ok()) return status;
  server::WatchSettings settings;
  settings.bookmark_period = options.bookmark_period;
  settings.print = server::PrinterOf(*request.resource, presentation, runtime.clock());
  settings.protobuf = presentation.media.protobuf;
  if (settings.protobuf) settings.content_type = presentation.media.ContentType() + ";stream=watch";
  {
    MutexLock lock(mutex);
    settings.close = closing.get_token();
  }
  return server::OpenWatch(store, runtime, request, settings, std::move(stop));
}

void ApiServer::Impl::CloseWatches() {
  std::stop_source old;
  {
    MutexLock lock(mutex);
    std::swap(old, closing);
  }
  old.request_stop();
}

Status ApiServer::Impl::Restore(std::string_view saved) {
  auto state = json::ParseValue(std::string(saved));
  if (!state.ok()) return state.status();
  const server::Snapshot before = store.List(std::string(kDefinitions), "");
  if (Status status = store.Load(state->value); !status.ok()) return status;
  for (const auto& definition : before.objects) {
    server::ForgetDefinition(catalog, definition->value());
  }
  for (const auto& definition : store.List(std::string(kDefinitions), "").objects) {
    server::ApplyDefinition(catalog, definition->value());
  }
  return Status::Ok();
}

ApiServer::ApiServer(Runtime& runtime, ApiServerOptions options)
    : impl_(std::make_shared<Impl>(runtime, options)) {}

ApiServer::~ApiServer() {
  impl_->CloseWatches();
  impl_->collector.reset();  // a running request may keep the rest of the Impl alive
}

Result<std::unique_ptr<HttpResponse>> ApiServer::Serve(const HttpRequest& request,
                                                       const ApiUser& user, std::stop_token stop) {
  return impl_->Serve(request, user, std::move(stop));
}

std::shared_ptr<Transport> ApiServer::NewTransport(ApiUser user) {
  class InProcess : public Transport {
   public:
    InProcess(std::weak_ptr<Impl> server, ApiUser user)
        : server_(std::move(server)), user_(std::move(user)) {}

    Result<ResponsePtr> RoundTrip(const HttpRequest& request, std::stop_token stop) override {
      const std::shared_ptr<Impl> server = server_.lock();
      if (!server) return Status(StatusReason::kTransport, "the API server is gone");
      server->runtime.Yield();
      if (Status late = CheckSendBefore(request, server->runtime.Now()); !late.ok()) return late;
      return server->Serve(request, user_, std::move(stop));
    }

   private:
    const std::weak_ptr<Impl> server_;
    const ApiUser user_;
  };
  return std::make_shared<InProcess>(impl_, std::move(user));
}

Status ApiServer::Register(const CustomResource& resource) {
  HttpRequest request;
  request.method = "POST";
  request.target = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  request.headers = {{"Content-Type", "application/json"}};
  request.body = json::ToJson(DefinitionOf(resource));
  auto answer = Serve(request, {}, {});
  if (!answer.ok()) return answer.status();
  if ((*answer)->status() < 300) return Status::Ok();
  const auto body = ReadAll(**answer, impl_->options.max_body);
  if (!body.ok()) return body.status();
  const auto parsed = json::ParseValue(*body);
  return Status::InvalidArgument(parsed.ok() ? parsed->value.Get("message").AsString() : *body);
}

void ApiServer::Compact() { impl_->store.Compact(); }

void ApiServer::CloseWatches() { impl_->CloseWatches(); }

std::string ApiServer::Save() const { return json::ToJson(impl_->store.Save()); }

Status ApiServer::Restore(std::string_view saved) { return impl_->Restore(saved); }

int64_t ApiServer::ResourceVersion() const { return impl_->store.Version(); }

}  // namespace capstan::testing
