#include "bench/side_by_side/etcd.h"

#include <chrono>
#include <stdexcept>
#include <thread>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/runtime.h>

#include "base/json/json_text.h"
#include "base/json/json_tree.h"
#include "base/text/base64.h"

namespace capstan::bench {
namespace {

std::shared_ptr<Transport> TransportTo(const std::string& url) {
  RestConfig config;
  config.server = url;
  auto transport = NewHttpTransport(config, SystemRuntime());
  if (!transport) throw std::runtime_error(transport.status().ToString());
  return *std::move(transport);
}

std::string Encoded(const std::string& bytes) { return '"' + text::EncodeBase64(bytes) + '"'; }

std::string DecodedMember(const json::Node& node, std::string_view member) {
  const auto bytes = text::DecodeBase64(node.StringOf(member));
  if (!bytes) throw std::runtime_error("etcd: a value is not base64");
  return *bytes;
}

}  // namespace

Etcd::Etcd(const std::string& url) : transport_(TransportTo(url)) {}

std::string Etcd::Ask(const std::string& method, const std::string& path,
                      const std::string& body) const {
  HttpRequest request;
  request.method = method;
  request.target = path;
  request.body = body;
  if (!body.empty()) request.headers = {{"Content-Type", "application/json"}};
  request.timeout = std::chrono::seconds(60);
  auto response = transport_->RoundTrip(request, {});
  if (!response) throw std::runtime_error("etcd: " + response.status().ToString());
  auto text = ReadAll(**response, size_t{1} << 30);
  if (!text) throw std::runtime_error("etcd: " + text.status().ToString());
  if ((*response)->status() != 200) throw std::runtime_error("etcd: " + *text);
  return *std::move(text);
}

void Etcd::AwaitReady() const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (;;) {
    try {
      Ask("GET", "/health", "");
      return;
    } catch (const std::runtime_error&) {
      if (std::chrono::steady_clock::now() > deadline) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

std::vector<KeyValue> Etcd::Range(const std::string& prefix) const {
  std::string end = prefix;
  ++end.back();
  auto answer = json::Document::Parse(
      Ask("POST", "/v3/kv/range",
          "{\"key\":" + Encoded(prefix) + ",\"range_end\":" + Encoded(end) + "}"));
  if (!answer) throw std::runtime_error("etcd: " + answer.status().ToString());
  std::vector<KeyValue> values;
  if (const json::Node* kvs = answer->root().Find("kvs")) {
    for (const json::Node& kv : kvs->children)
      values.emplace_back(DecodedMember(kv, "key"), DecodedMember(kv, "value"));
  }
  return values;
}

void Etcd::Put(const std::vector<KeyValue>& values) const {
  std::string body = "{\"success\":[";
  for (const auto& [key, value] : values) {
    if (body.back() != '[') body += ',';
    body += "{\"requestPut\":{\"key\":" + Encoded(key) + ",\"value\":" + Encoded(value) + "}}";
  }
  const std::string answer = Ask("POST", "/v3/kv/txn", body + "]}");
  if (answer.find("\"succeeded\":true") == std::string::npos)
    throw std::runtime_error("etcd: the transaction failed: " + answer);
}

}  // namespace capstan::bench
