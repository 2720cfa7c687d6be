#include "client/rest/api_status.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>

#include "api/protobuf/object.h"
#include "base/json/json_tree.h"

#include <capstan/runtime/format.h>

namespace capstan {
namespace {

constexpr int64_t kLongestRetryAfter = int64_t{24} * 60 * 60;  // seconds

int64_t IntOf(const json::Node& object, std::string_view member) {
  int64_t value = 0;
  if (const json::Node* node = object.Find(member);
      node && node->kind == json::Node::Kind::kNumber) {
    std::from_chars(node->text.data(), node->text.data() + node->text.size(), value);
  }
  return value;
}

std::optional<StatusReason> ReasonByName(std::string_view name) {
  for (auto i = static_cast<uint8_t>(StatusReason::kUnauthorized);
       i <= static_cast<uint8_t>(StatusReason::kServiceUnavailable); ++i) {
    const auto reason = static_cast<StatusReason>(i);
    if (StatusReasonName(reason) == name) return reason;
  }
  return std::nullopt;
}

StatusReason ReasonByCode(int code, std::string_view method) {
  switch (code) {
    case 400:
      return StatusReason::kBadRequest;
    case 401:
      return StatusReason::kUnauthorized;
    case 403:
      return StatusReason::kForbidden;
    case 404:
      return StatusReason::kNotFound;
    case 405:
      return StatusReason::kMethodNotAllowed;
    case 406:
      return StatusReason::kNotAcceptable;
    case 408:
      return StatusReason::kTimeout;
    case 409:
      return method == "POST" ? StatusReason::kAlreadyExists : StatusReason::kConflict;
    case 410:
      return StatusReason::kGone;
    case 413:
      return StatusReason::kRequestEntityTooLarge;
    case 415:
      return StatusReason::kUnsupportedMediaType;
    case 422:
      return StatusReason::kInvalid;
    case 429:
      return StatusReason::kTooManyRequests;
    case 502:
    case 503:
      return StatusReason::kServiceUnavailable;
    case 504:
      return StatusReason::kTimeout;
    default:
      return code >= 500 ? StatusReason::kInternalError : StatusReason::kUnknown;
  }
}

std::optional<Duration> Seconds(int64_t seconds) {
  if (seconds <= 0) return std::nullopt;
  return std::chrono::seconds(std::min(seconds, kLongestRetryAfter));
}

void ReadDetails(const json::Node& node, Status::Details& details) {
  details.group = node.StringOf("group");
  details.kind = node.StringOf("kind");
  details.name = node.StringOf("name");
  details.retry_after = Seconds(IntOf(node, "retryAfterSeconds"));
  const json::Node* causes = node.Find("causes");
  if (!causes) return;
  for (const json::Node& cause : causes->children) {
    details.causes.push_back({std::string(cause.StringOf("reason")),
                              std::string(cause.StringOf("message")),
                              std::string(cause.StringOf("field"))});
  }
}

// The beginning of any text, on one line.
std::string Excerpt(std::string_view body) {
  constexpr size_t kLongest = 256;
  std::string excerpt;
  bool space = false;
  for (const char c : body) {
    if (excerpt.size() >= kLongest) return excerpt + "...";
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7f) {
      space = !excerpt.empty();
      continue;
    }
    if (space) excerpt += ' ';
    space = false;
    excerpt += byte < 0x80 ? c : '?';
  }
  return excerpt;
}

}  // namespace

std::optional<Status> ParseApiStatus(std::string_view text, int http_code,
                                     std::optional<Duration> retry_after) {
  const std::optional<std::string> as_json = protobuf::StatusAsJson(text);
  Result<json::Document> document = json::Document::Parse(as_json ? *as_json : std::string(text));
  if (!document || !document->root().IsObject()) return std::nullopt;
  const json::Node& root = document->root();
  if (root.StringOf("kind") != "Status" || root.StringOf("apiVersion") != "v1") {
    return std::nullopt;
  }
  if (root.StringOf("status") == "Success") return Status::Ok();

  Status::Details details;
  const int64_t code = IntOf(root, "code");
  details.http_code = code >= 100 && code <= 599 ? static_cast<int>(code) : http_code;
  details.reason =
      ReasonByName(root.StringOf("reason")).value_or(ReasonByCode(details.http_code, {}));
  details.message = root.StringOf("message");
  if (const json::Node* node = root.Find("details"); node && node->IsObject()) {
    ReadDetails(*node, details);
  }
  if (!details.retry_after) details.retry_after = retry_after;
  if (details.message.empty()) {
    details.message = Format("the server responded with code {} and no message", details.http_code);
  }
  return Status(std::move(details));
}

Status StatusOfAnswer(int http_code, std::string_view method, std::string_view body,
                      std::optional<Duration> retry_after) {
  const std::optional<Status> said = ParseApiStatus(body, http_code, retry_after);
  if (said && !said->ok()) return *said;
  const std::string excerpt = Excerpt(body);
  Status::Details details;
  details.reason = ReasonByCode(http_code, method);
  details.http_code = http_code;
  details.message = Format("the server responded with HTTP {}{}{}", http_code,
                           excerpt.empty() ? "" : ": ", excerpt);
  details.retry_after = retry_after;
  return Status(std::move(details));
}

std::optional<Duration> ParseRetryAfter(std::string_view header) {
  int64_t seconds = 0;
  const char* end = header.data() + header.size();
  const auto [stopped, error] = std::from_chars(header.data(), end, seconds);
  if (error != std::errc() || stopped != end || seconds < 0) return std::nullopt;
  return std::chrono::seconds(std::min(seconds, kLongestRetryAfter));
}

}  // namespace capstan
