// The heads of requests and responses, and chunked bodies. The result must not depend on how the
// bytes are split.

#include <algorithm>
#include <string>
#include <tuple>

#include "base/http/message_head.h"
#include "base/http/request_reader.h"
#include "fuzz_target.h"

namespace capstan::fuzz {
namespace {

using http::HeadScanner;
using http::RequestReader;

// State, status of the refusal, method, target, headers, body, number of bytes consumed.
using ReadRequest = std::tuple<RequestReader::State, int, std::string, std::string, http::Fields,
                               std::string, size_t>;

ReadRequest RequestIn(std::string_view input, size_t step) {
  RequestReader reader{http::RequestLimits{.body = 1 << 10}};
  auto state = RequestReader::State::kMore;
  std::string buffer;
  size_t fed = 0;
  while (state == RequestReader::State::kMore && fed < input.size()) {
    const size_t size = std::min(step, input.size() - fed);
    buffer += input.substr(fed, size);
    fed += size;
    state = reader.Feed(buffer);
  }
  if (state == RequestReader::State::kRefused) {
    return {state, reader.TakeRefusal().status, {}, {}, {}, {}, 0};
  }
  if (state == RequestReader::State::kMore) return {state, 0, {}, {}, {}, {}, 0};
  const http::ServerRequest request = reader.TakeRequest();
  return {
      state, 0, request.method, request.target, request.headers, request.body, fed - buffer.size()};
}

// State, whether the status line and the headers are valid, status, headers, bytes consumed.
using ReadAnswer = std::tuple<HeadScanner::State, bool, int, http::Fields, size_t>;

ReadAnswer AnswerIn(std::string_view input, size_t step) {
  HeadScanner scanner(http::HeadLimits{.line = 256, .head = 1 << 10, .fields = 8});
  size_t begin = 0;
  size_t end = 0;
  while (end < input.size()) {
    end = std::min(end + step, input.size());
    std::string_view rest = input.substr(begin, end - begin);
    std::string_view lines;
    const HeadScanner::State state = scanner.Feed(rest, lines);
    begin = end - rest.size();
    if (state == HeadScanner::State::kMore) continue;
    if (state != HeadScanner::State::kComplete) return {state, false, 0, {}, 0};
    const auto status = http::ParseStatusLine(http::TakeLine(lines).value_or(""));
    http::Fields fields;
    const bool good = http::ParseFields(lines, fields) && status.has_value();
    http::LengthOf(fields);
    return {state, good, status ? status->status : 0, fields, begin};
  }
  return {HeadScanner::State::kMore, false, 0, {}, 0};
}

}  // namespace
}  // namespace capstan::fuzz

CAPSTAN_FUZZ_TARGET(http_head) {
  using namespace capstan::fuzz;
  if (input.empty()) return;
  const auto request = RequestIn(input, input.size());
  const auto answer = AnswerIn(input, input.size());
  for (const size_t step : {size_t{1}, size_t{7}}) {
    Require(RequestIn(input, step) == request, "a request is the same however it comes");
    Require(AnswerIn(input, step) == answer, "the head of an answer is the same however it comes");
  }
}
