#include "audit_log.h"

#include <fstream>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <capstan/api/time.h>

#include "process.h"

namespace capstan::e2e {
namespace {

// The text between `key` and the next quotation mark. There are too many lines, and they are too
// long, to parse each of them.
std::string_view TextAfter(std::string_view line, std::string_view key) {
  const size_t begin = line.find(key);
  if (begin == std::string_view::npos) return {};
  line.remove_prefix(begin + key.size());
  return line.substr(0, line.find('"'));
}

AuditedRequest ParseAuditLine(const std::string& line) {
  AuditedRequest request;
  request.user = TextAfter(line, R"("impersonatedUser":{"username":")");
  if (request.user.empty()) request.user = TextAfter(line, R"("user":{"username":")");
  request.verb = TextAfter(line, R"("verb":")");
  request.resource = TextAfter(line, R"("objectRef":{"resource":")");
  request.subresource = TextAfter(line, R"("subresource":")");
  request.succeeded = line.find(R"("code":20)") != std::string::npos;
  const auto received = api::MicroTime::Parse(TextAfter(line, R"("requestReceivedTimestamp":")"));
  if (!received) throw std::runtime_error("not a line of an audit log: " + line.substr(0, 200));
  request.received =
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(received->ToWallTime());
  return request;
}

}  // namespace

bool AuditedRequest::IsWrite() const {
  return verb == "create" || verb == "update" || verb == "patch" || verb == "delete";
}

AuditLog::AuditLog(const std::filesystem::path& directory)
    : policy_(directory / "audit.yaml"), log_(directory / "audit.log") {
  WriteFile(policy_,
            "apiVersion: audit.k8s.io/v1\nkind: Policy\n"
            "omitStages: [RequestReceived]\nrules: [{level: Metadata}]\n");
}

std::vector<std::string> AuditLog::ServerFlags() const {
  return {"--audit-policy-file=" + policy_.string(), "--audit-log-path=" + log_.string()};
}

std::vector<AuditedRequest> AuditLog::NewRequests() {
  std::ifstream file(log_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(read_));
  std::vector<AuditedRequest> news;
  for (std::string line; std::getline(file, line) && !file.eof();) {
    read_ += line.size() + 1;
    news.push_back(ParseAuditLine(line));
  }
  return news;
}

std::string ImpersonatingKubeconfig(const std::filesystem::path& kubeconfig,
                                    const std::string& user) {
  std::string text = ReadFile(kubeconfig);
  const size_t token = text.find("    token: ");
  if (token == std::string::npos) throw std::runtime_error(kubeconfig.string() + ": no token");
  return text.insert(token, "    as: " + user + "\n    as-groups: [\"system:masters\"]\n");
}

}  // namespace capstan::e2e
