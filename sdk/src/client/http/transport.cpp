#include <capstan/client/transport.h>

#include <algorithm>

#include <capstan/runtime/format.h>

#include "runtime/not_sent.h"

namespace capstan {

HttpResponse::~HttpResponse() = default;
Transport::~Transport() = default;

Status CheckSendBefore(const HttpRequest& request, MonotonicTime now) {
  if (!request.send_before || now < *request.send_before) return Status::Ok();
  return NotSent("this manager may not write any more");
}

Result<std::string> ReadAll(HttpResponse& response, size_t limit) {
  constexpr size_t kFirstStep = 4096;
  std::string body;
  size_t used = 0;
  while (true) {
    if (used == body.size()) body.resize(std::max(kFirstStep, 2 * used));
    const Result<size_t> count = response.Read(body.data() + used, body.size() - used);
    if (!count) return count.status();
    if (*count == 0) break;
    used += *count;
    if (used > limit) {
      return Status::Malformed(Format("the response body is larger than {} bytes", limit));
    }
  }
  body.resize(used);
  return body;
}

}  // namespace capstan
