#include "base/http/response_text.h"

#include <Poco/DateTimeFormat.h>
#include <Poco/DateTimeFormatter.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Timestamp.h>

#include <algorithm>
#include <string_view>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "base/text/ascii.h"

namespace capstan::http {
namespace {

bool CanBeSent(const std::string& name, const std::string& value) {
  constexpr std::string_view kBreaks("\r\n\0", 3);
  return !name.empty() && name.find_first_of("\r\n: ") == std::string::npos &&
         value.find_first_of(kBreaks) == std::string::npos;
}

bool HasResponseHeader(const ServerResponse& response, std::string_view name) {
  return std::any_of(response.headers.begin(), response.headers.end(), [&](const auto& header) {
    return text::EqualIgnoringCase(header.first, name);
  });
}

void AddResponseHeader(std::string& head, const std::string& name, const std::string& value) {
  if (CanBeSent(name, value)) {
    head += name + ": " + value + "\r\n";
  } else {
    LogWarning("A header of a response cannot be sent", {{"name", name}});
  }
}

}  // namespace

std::string ResponseHead(const ServerResponse& response, bool keeps_alive, BodyFraming framing) {
  using Poco::Net::HTTPResponse;
  std::string head = Format(
      "HTTP/1.1 {} {}\r\n", response.status,
      HTTPResponse::getReasonForStatus(static_cast<HTTPResponse::HTTPStatus>(response.status)));
  AddResponseHeader(
      head, "Date",
      Poco::DateTimeFormatter::format(Poco::Timestamp(), Poco::DateTimeFormat::HTTP_FORMAT));
  AddResponseHeader(head, "Content-Type", response.content_type);
  if (framing == BodyFraming::kLength) {
    AddResponseHeader(head, "Content-Length", std::to_string(response.body.size()));
  } else if (framing == BodyFraming::kChunked) {
    AddResponseHeader(head, "Transfer-Encoding", "chunked");
  }
  AddResponseHeader(head, "Connection", keeps_alive ? "keep-alive" : "close");
  AddResponseHeader(head, "X-Content-Type-Options", "nosniff");
  if (!HasResponseHeader(response, "Cache-Control")) {
    AddResponseHeader(head, "Cache-Control", "no-cache, private");
  }
  for (const auto& [name, value] : response.headers) AddResponseHeader(head, name, value);
  return head + "\r\n";
}

void FrameChunk(std::string& data) {
  data.insert(0, Format("{:x}\r\n", data.size()));
  data += "\r\n";
}

}  // namespace capstan::http
