#include "bench/side_by_side/workload.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include <capstan/api/time.h>
#include <capstan/runtime/runtime.h>

#include "base/json/json_text.h"

namespace capstan::bench {
namespace {

using api::apps::v1::Deployment;

std::string Image(const std::string& container, int version) {
  return "registry.example/team/" + container + ":1.0." + std::to_string(version);
}

// The variables that a program usually gets: plain values, and values of the pod, of a ConfigMap
// and of a Secret.
std::string EnvironmentJson(int plain) {
  std::string json =
      R"([{"name":"POD_NAME","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},)"
      R"({"name":"POD_IP","valueFrom":{"fieldRef":{"fieldPath":"status.podIP"}}},)"
      R"({"name":"DB_PASSWORD","valueFrom":{"secretKeyRef":{"name":"db","key":"pw"}}},)"
      R"({"name":"REGION","valueFrom":{"configMapKeyRef":{"name":"app","key":"region"}}})";
  for (int i = 0; i < plain; ++i) {
    const std::string number = std::to_string(i);
    json.append(R"(,{"name":"SETTING_)").append(number);
    json.append(R"(","value":"http://service-)").append(number).append(R"(.prod.svc:8080/v1"})");
  }
  return json + "]";
}

std::string ContainerJson(const std::string& name, int port, int plain_variables, int version) {
  const std::string number = std::to_string(port);
  const std::string probe = R"({"httpGet":{"path":"/healthz","port":)" + number +
                            R"(},"periodSeconds":10,"timeoutSeconds":2})";
  return R"({"name":")" + name + R"(","image":")" + Image(name, version) +
         R"(","args":["--listen=:)" + number + R"(","--log-level=info"],"ports":[{"name":")" +
         name + R"(","containerPort":)" + number + R"(}],"env":)" +
         EnvironmentJson(plain_variables) +
         R"(,"resources":{"requests":{"cpu":"100m","memory":"128Mi"},"limits":{"memory":"256Mi"}},)" +
         R"("livenessProbe":)" + probe + R"(,"readinessProbe":)" + probe +
         R"(,"volumeMounts":[{"name":"config","mountPath":"/etc/app","readOnly":true},)"
         R"({"name":"cache","mountPath":"/var/cache/app"}],)"
         R"("securityContext":{"allowPrivilegeEscalation":false,"readOnlyRootFilesystem":true,)"
         R"("capabilities":{"drop":["ALL"]}}})";
}

std::string PodSpecJson(int version) {
  return R"({"containers":[)" + ContainerJson("app", 8080, 16, version) + "," +
         ContainerJson("proxy", 9090, 6, version) +
         R"(],"volumes":[{"name":"config","configMap":{"name":"app"}},{"name":"cache","emptyDir":{}},)"
         R"({"name":"trust","projected":{"sources":[{"secret":{"name":"tls","optional":true}},)"
         R"({"configMap":{"name":"kube-root-ca.crt",)"
         R"("items":[{"key":"ca.crt","path":"ca.crt"}]}}]}}],)"
         R"("terminationGracePeriodSeconds":30,"securityContext":{"runAsNonRoot":true,)"
         R"("runAsUser":1000},"tolerations":[{"key":"node.kubernetes.io/not-ready",)"
         R"("operator":"Exists","effect":"NoExecute","tolerationSeconds":300},)"
         R"({"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute",)"
         R"("tolerationSeconds":300}]})";
}

std::string ConditionJson(const std::string& type, const std::string& time) {
  return R"({"type":")" + type + R"(","status":"True","lastTransitionTime":")" + time + R"("})";
}

std::string ContainerStatusJson(const std::string& name, const std::string& time) {
  const std::string digest(64, 'a');
  return R"({"name":")" + name + R"(","ready":true,"started":true,"restartCount":0,"image":")" +
         Image(name, 1) + R"(","imageID":"registry.example/team/)" + name + "@sha256:" + digest +
         R"(","containerID":"containerd://)" + digest + R"(","state":{"running":{"startedAt":")" +
         time + R"("}}})";
}

}  // namespace

std::string DeploymentName(int number) {
  char name[32];
  std::snprintf(name, sizeof name, "web-%05d", number);
  return name;
}

std::string DeploymentJson(const std::string& name, int replicas, int version) {
  const std::string labels = R"({"app.kubernetes.io/name":")" + name + R"("})";
  return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" + name +
         R"(","labels":{"app.kubernetes.io/name":")" + name + R"(","team":"bench"}},)" +
         R"("spec":{"replicas":)" + std::to_string(replicas) + R"(,"selector":{"matchLabels":)" +
         labels + R"(},"template":{"metadata":{"labels":{"app.kubernetes.io/name":")" + name +
         R"(","app.kubernetes.io/part-of":"shop","team":"bench"},)"
         R"("annotations":{"prometheus.io/scrape":"true","prometheus.io/port":"9090",)"
         R"("checksum/config":")" +
         std::string(64, '0') + R"("}},"spec":)" + PodSpecJson(version) + "}}}";
}

std::string ImagePatch(int version) {
  return R"({"spec":{"template":{"spec":{"containers":[{"name":"app","image":")" +
         Image("app", version) + R"("}]}}}})";
}

std::string ReadyPodPatch() {
  const std::string now = api::Time(SystemRuntime().clock().Now()).ToString();
  std::string conditions;
  for (const char* type :
       {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"}) {
    conditions += (conditions.empty() ? "" : ",") + ConditionJson(type, now);
  }
  return R"({"status":{"phase":"Running","qosClass":"Burstable","hostIP":"10.1.0.1",)"
         R"("hostIPs":[{"ip":"10.1.0.1"}],"podIP":"10.2.0.1","podIPs":[{"ip":"10.2.0.1"}],)"
         R"("startTime":")" +
         now + R"(","conditions":[)" + conditions + R"(],"containerStatuses":[)" +
         ContainerStatusJson("app", now) + "," + ContainerStatusJson("proxy", now) + "]}}";
}

std::string BindingJson(const std::string& pod, const std::string& node) {
  return R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":")" + pod +
         R"("},"target":{"apiVersion":"v1","kind":"Node","name":")" + node + R"("}})";
}

DeploymentView::DeploymentView(const Client& client, std::string namespace_name)
    : follower_(client, std::move(namespace_name),
                {.changed =
                     [this](const Deployment& deployment) {
                       const std::lock_guard lock(mutex_);
                       deployments_[deployment.metadata.name] = {deployment.metadata.generation,
                                                                 deployment.status};
                       changed_.notify_all();
                     },
                 .gone =
                     [this](const std::string& name) {
                       const std::lock_guard lock(mutex_);
                       deployments_.erase(name);
                     }}) {}

bool DeploymentView::IsComplete(const Progress& progress, int64_t generation, int replicas) {
  const auto& status = progress.status;
  return progress.generation >= generation && status.observedGeneration >= progress.generation &&
         status.replicas == replicas && status.updatedReplicas == replicas &&
         status.availableReplicas == replicas;
}

void DeploymentView::AwaitComplete(const std::map<std::string, int64_t>& generations, int replicas,
                                   const std::function<bool()>& also, std::chrono::seconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const auto is_complete = [&](const auto& wanted) {
    const auto at = deployments_.find(wanted.first);
    return at != deployments_.end() && IsComplete(at->second, wanted.second, replicas);
  };
  std::unique_lock lock(mutex_);
  while (!std::all_of(generations.begin(), generations.end(), is_complete) || !also()) {
    if (std::chrono::steady_clock::now() > deadline) {
      const auto complete = std::count_if(generations.begin(), generations.end(), is_complete);
      throw std::runtime_error("after " + std::to_string(limit.count()) + " s " +
                               std::to_string(complete) + " of " +
                               std::to_string(generations.size()) + " Deployments are complete");
    }
    // `also` may become true without a change of a Deployment.
    changed_.wait_for(lock, std::chrono::milliseconds(5));
  }
}

}  // namespace capstan::bench
