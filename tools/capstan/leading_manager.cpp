#include "capstan/leading_manager.h"

#include <algorithm>

#include <capstan/api/coordination_v1.h>
#include <capstan/runtime/format.h>

namespace capstan::tool {
namespace {

constexpr char kLeaseNamespace[] = "kube-system";
constexpr char kLeaseName[] = "capstan-controller-manager";
constexpr char kPort[] = "10257";

/// Returns the pod name in a holder identity: the host name before the last '_'. "" if it cannot be
/// a pod name.
std::string PodOf(const std::string& holder) {
  const std::string pod = holder.substr(0, std::min(holder.rfind('_'), holder.size()));
  const bool is_name = std::all_of(pod.begin(), pod.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
  return is_name ? pod : "";
}

}  // namespace

std::optional<std::string> AskLeadingManager(const Client& client, std::string_view path) {
  const auto lease = client.Get<api::coordination::v1::Lease>({kLeaseNamespace, kLeaseName});
  if (!lease) return std::nullopt;
  const std::string pod = PodOf((*lease)->spec.holderIdentity.value_or(""));
  if (pod.empty()) return std::nullopt;
  auto answer = client.GetPath(
      Format("/api/v1/namespaces/{}/pods/https:{}:{}/proxy{}", kLeaseNamespace, pod, kPort, path));
  if (!answer) return std::nullopt;
  return *std::move(answer);
}

}  // namespace capstan::tool
