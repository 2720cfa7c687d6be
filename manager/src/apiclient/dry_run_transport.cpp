#include "apiclient/dry_run_transport.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/api/raw_json.h>
#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "base/text/ascii.h"

namespace capstan::manager {
namespace {

constexpr size_t kMaxDryRunBody = 2048;
constexpr std::string_view kDryRunSuccess =
    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})";

/// A response that does not come from a server.
class MadeUpResponse final : public HttpResponse {
 public:
  MadeUpResponse(int status, std::string body) : status_(status), body_(std::move(body)) {}

  int status() const override { return status_; }
  std::string Header(std::string_view name) const override {
    return text::EqualIgnoringCase(name, "Content-Type") ? "application/json" : "";
  }
  Result<size_t> Read(char* buffer, size_t size) override {
    const size_t count = std::min(size, body_.size() - read_);
    std::memcpy(buffer, body_.data() + read_, count);
    read_ += count;
    return count;
  }

 private:
  const int status_;
  const std::string body_;
  size_t read_ = 0;
};

std::unique_ptr<HttpResponse> MadeUpAnswer(int status, std::string_view body) {
  return std::make_unique<MadeUpResponse>(status, std::string(body));
}

/// Returns the path segments of a target.
std::vector<std::string_view> TargetParts(std::string_view target) {
  std::vector<std::string_view> parts;
  target = target.substr(0, target.find('?'));
  while (!target.empty()) {
    target.remove_prefix(1);  // the '/'
    parts.push_back(target.substr(0, target.find('/')));
    target.remove_prefix(parts.back().size());
  }
  return parts;
}

/// The names in an API target. https://kubernetes.io/docs/reference/using-api/api-concepts/
struct TargetNames {
  std::string_view group;
  std::string_view namespace_;
  std::string_view resource;
  std::string_view name;
  std::string_view subresource;
  std::string object_path;  ///< without the subresource
};

TargetNames NamesIn(std::string_view target) {
  const std::vector<std::string_view> parts = TargetParts(target);
  TargetNames names;
  size_t at = 2;  // /api/v1, or /apis/group/version
  if (!parts.empty() && parts[0] == "apis") {
    at = 3;
    if (parts.size() > 1) names.group = parts[1];
  }
  // /namespaces/name is an object, and /namespaces/name/status its subresource.
  const bool scoped =
      parts.size() > at + 2 && parts[at] == "namespaces" &&
      !(parts.size() == at + 3 && (parts[at + 2] == "status" || parts[at + 2] == "finalize"));
  if (scoped) {
    names.namespace_ = parts[at + 1];
    at += 2;
  }
  if (parts.size() > at) names.resource = parts[at];
  if (parts.size() > at + 1) names.name = parts[at + 1];
  if (parts.size() > at + 2) names.subresource = parts[at + 2];
  for (size_t i = 0; i < parts.size() && i < at + 2; ++i) {
    names.object_path.append("/").append(parts[i]);
  }
  return names;
}

/// Whether the request changes nothing in the cluster.
bool OnlyAsks(const HttpRequest& request) {
  if (request.method == "GET" || request.method == "HEAD" || request.method == "OPTIONS") {
    return true;
  }
  if (request.method != "POST") return false;
  const TargetNames names = NamesIn(request.target);
  const bool is_review =
      names.group == "authentication.k8s.io" || names.group == "authorization.k8s.io";
  const bool is_token =
      names.group.empty() && names.resource == "serviceaccounts" && names.subresource == "token";
  return (is_review && names.resource.ends_with("reviews")) || is_token;
}

/// At most kMaxDryRunBody bytes of `text`, cut between UTF-8 characters.
std::string BoundedBody(const std::string& text) {
  if (text.size() <= kMaxDryRunBody) return text;
  size_t end = kMaxDryRunBody;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return Format("{}... ({} bytes)", text.substr(0, end), text.size());
}

std::string MadeUpUid(uint64_t number) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "00000000-0000-4000-8000-%012llx",
                static_cast<unsigned long long>(number & 0xffffffffffffULL));
  return text.data();
}

}  // namespace

Result<std::unique_ptr<HttpResponse>> DryRunTransport::RoundTrip(const HttpRequest& request,
                                                                 std::stop_token stop) {
  if (OnlyAsks(request)) return inner_->RoundTrip(request, std::move(stop));
  if (stop.stop_requested()) return Status::Canceled();
  LogInfo(
      "Dry run: not sent",
      {{"method", request.method}, {"path", request.target}, {"body", BoundedBody(request.body)}});
  const TargetNames names = NamesIn(request.target);
  if (request.method == "DELETE") return MadeUpAnswer(200, kDryRunSuccess);
  if (request.method == "POST") {
    return names.name.empty() ? Create(request) : MadeUpAnswer(201, request.body);
  }
  // The event that a patch updates was not sent either.
  if (request.method == "PATCH" && names.resource != "events") {
    return Current(request, std::move(stop));
  }
  return MadeUpAnswer(200, request.body);
}

Result<std::unique_ptr<HttpResponse>> DryRunTransport::Create(const HttpRequest& request) {
  auto object = RawJson::Parse(request.body);
  if (!object) return object.status().WithContext("dry run of a create");
  const uint64_t number = ++made_up_;
  RawJson created = *std::move(object);
  if (created.At("/metadata/name").empty()) {
    const std::string prefix = created.StringAt("/metadata/generateName").value_or("");
    std::array<char, 24> suffix{};
    std::snprintf(suffix.data(), suffix.size(), "%05llu", static_cast<unsigned long long>(number));
    created = created.With("/metadata/name", RawJson::String(prefix + suffix.data()));
  }
  const TargetNames names = NamesIn(request.target);
  if (!names.namespace_.empty()) {
    created = created.With("/metadata/namespace", RawJson::String(names.namespace_));
  }
  created = created.With("/metadata/uid", RawJson::String(MadeUpUid(number)))
                .With("/metadata/resourceVersion", RawJson::String("0"));
  return MadeUpAnswer(201, created.text());
}

Result<std::unique_ptr<HttpResponse>> DryRunTransport::Current(const HttpRequest& request,
                                                               std::stop_token stop) {
  HttpRequest get = request;
  get.method = "GET";
  get.target = NamesIn(request.target).object_path;
  get.body.clear();
  std::erase_if(get.headers, [](const auto& header) {
    return text::EqualIgnoringCase(header.first, "Content-Type");
  });
  return inner_->RoundTrip(get, std::move(stop));
}

}  // namespace capstan::manager
