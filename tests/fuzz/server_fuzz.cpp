// Input: requests to a whole server. Each is a line "METHOD target content-type" and the body below
// it. A line "====" separates two requests.

#include <string>
#include <utility>

#include <capstan/client/transport.h>
#include <capstan/testing/api_server.h>

#include "fuzz_runtime.h"
#include "fuzz_target.h"
#include "json/value.h"

namespace capstan::fuzz {
namespace {

constexpr size_t kMostRequests = 8;
constexpr size_t kMostAnswer = size_t{64} << 20;

HttpRequest RequestOf(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const size_t first = line.find(' ');
  const size_t second = line.find(' ', first == std::string_view::npos ? line.size() : first + 1);
  HttpRequest request;
  request.method = line.substr(0, first);
  if (first != std::string_view::npos) request.target = line.substr(first + 1, second - first - 1);
  if (second != std::string_view::npos) {
    request.headers.emplace_back("Content-Type", line.substr(second + 1));
  }
  if (line.size() < text.size()) request.body = text.substr(line.size() + 1);
  return request;
}

class Server {
 public:
  Server() : runtime_(NewFuzzRuntime()), server_(*runtime_, Options()) {
    Serve(
        RequestOf("POST /api/v1/namespaces application/json\n"
                  R"({"metadata":{"name":"default"}})"));
    Serve(
        RequestOf("POST /apis/apps/v1/namespaces/default/deployments application/json\n"
                  R"({"metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"a":"b"}},)"
                  R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[)"
                  R"({"name":"c","image":"i"}]}}}})"));
    saved_ = server_.Save();
  }

  // All inputs start with the same objects.
  void Reset() { Require(server_.Restore(saved_).ok(), "what was saved can be restored"); }

  void Serve(const HttpRequest& request) {
    auto response = server_.Serve(request, {}, {});
    Require(response.ok(), "every request is answered");
    const int code = (*response)->status();
    Require(code >= 200 && code < 600, "every answer has a code");
    // A watch ends at once, because time in the fuzz runtime does not pass in real time.
    auto text = ReadAll(**response, kMostAnswer);
    Require(text.ok(), "every answer ends");
    const auto parsed = json::ParseValue(*text);
    if (!parsed.ok() || parsed->value.Get("kind").AsString() != "Status") return;
    if (parsed->value.Get("status").AsString() == "Failure") {
      Require(parsed->value.Get("code").AsInteger() == code, "a Status has the answer's code");
    }
  }

 private:
  static testing::ApiServerOptions Options() {
    testing::ApiServerOptions options;
    options.garbage_collection = false;  // it uses a thread
    options.history = 100;
    return options;
  }

  const std::unique_ptr<Runtime> runtime_;
  testing::ApiServer server_;
  std::string saved_;
};

}  // namespace
}  // namespace capstan::fuzz

CAPSTAN_FUZZ_TARGET(server) {
  using namespace capstan::fuzz;
  static Server server;
  server.Reset();
  constexpr std::string_view kBorder = "\n====\n";
  for (size_t i = 0; i < kMostRequests; ++i) {
    const size_t end = input.find(kBorder);
    server.Serve(RequestOf(input.substr(0, end)));
    if (end == std::string_view::npos) return;
    input.remove_prefix(end + kBorder.size());
  }
}
