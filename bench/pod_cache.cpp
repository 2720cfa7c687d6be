// Decodes and caches 50,000 pods of about 10 KB JSON, page by page as a reflector does. Prints the
// speed and the memory per cached pod: with the fields that the plugins of this repository read,
// with those and some that other controllers read, and with all fields.
//
//   pod_cache [pods] [ReplicaSets]

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/core_v1.h>
#include <capstan/cache/indexer.h>

#include "api/list_reader.h"
#include "deployment/pod_fields.h"
#include "replicaset/pod_fields.h"

namespace {

using capstan::api::core::v1::Pod;

constexpr int kPageSize = 500;
constexpr double kMegabyte = 1e6;

std::string Text(const char* format, auto... args) {
  char text[512];
  std::snprintf(text, sizeof(text), format, args...);
  return text;
}

// Generates pods as a kube-apiserver serializes them.
class PodGenerator {
 public:
  explicit PodGenerator(int replica_sets) : replica_sets_(replica_sets) {}

  std::string Page(int first, int count) {
    std::string page =
        R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"981234567",)"
        R"("continue":"eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ"},"items":[)";
    for (int i = first; i < first + count; ++i) {
      if (i > first) page += ',';
      AppendPod(page, i);
    }
    return page + "]}";
  }

 private:
  std::string RandomName(int size) {
    static constexpr char kAlphabet[] = "bcdfghjklmnpqrstvwxz2456789";
    std::string name;
    for (int i = 0; i < size; ++i) name += kAlphabet[random_() % (sizeof(kAlphabet) - 1)];
    return name;
  }

  void AppendPod(std::string& out, int number) {
    const int set = number % replica_sets_;
    const std::string app = Text("service-%03d", set);
    const std::string hash = Text("%09x", 0x5b6c7d8e + set * 7919);
    const std::string set_name = app + "-" + hash;
    out += R"({"metadata":)";
    AppendMetadata(out, number, set, app, hash, set_name);
    out += R"(,"spec":)";
    AppendSpec(out, app);
    out += R"(,"status":)";
    AppendStatus(out, number, app);
    out += '}';
  }

  void AppendMetadata(std::string& out, int number, int set, const std::string& app,
                      const std::string& hash, const std::string& set_name) {
    out += Text(R"({"name":"%s-%s","generateName":"%s-","namespace":"team-%02d",)",
                set_name.c_str(), RandomName(5).c_str(), set_name.c_str(), set % 40);
    out += Text(R"("uid":"%08x-%04x-4%03x-a%03x-%012x","resourceVersion":"%d","generation":1,)",
                static_cast<unsigned>(random_()), static_cast<unsigned>(random_() & 0xffff),
                number & 0xfff, set & 0xfff, number, 900000000 + number);
    out += R"("creationTimestamp":"2026-11-19T23:00:14Z",)";
    out += Text(R"("labels":{"app.kubernetes.io/name":"%s","app.kubernetes.io/part-of":"shop",)"
                R"("pod-template-hash":"%s","team":"team-%02d","tier":"backend"},)",
                app.c_str(), hash.c_str(), set % 40);
    out += R"("annotations":{"checksum/config":"4f1e0a8d7c6b5a4938271605f4e3d2c1b0a9f8e7d6c5b4a3",)"
           R"("cni.projectcalico.org/podIP":"10.12.13.14/32","prometheus.io/scrape":"true"},)";
    out += Text(R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"%s",)"
                R"("uid":"22222222-0000-4000-8000-%012d","controller":true,)"
                R"("blockOwnerDeletion":true}],)",
                set_name.c_str(), set);
    AppendManagedFields(out);
    out += '}';
  }

  void AppendManagedFields(std::string& out) {
    out += R"("managedFields":[{"manager":"kube-controller-manager","operation":"Update",)"
           R"("apiVersion":"v1","time":"2026-11-19T23:00:14Z","fieldsType":"FieldsV1","fieldsV1":)"
           R"({"f:metadata":{"f:generateName":{},"f:labels":{".":{},"f:pod-template-hash":{}}},)"
           R"("f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:env":{".":{})";
    for (int i = 0; i < 30; ++i) {
      out += Text(R"(,"k:{\"name\":\"SETTING_%02d\"}":{".":{},"f:name":{},"f:value":{}})", i);
    }
    out += R"(},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},)"
           R"("f:limits":{".":{},"f:cpu":{},"f:memory":{}}}}},"f:restartPolicy":{}}}},)"
           R"({"manager":"kubelet","operation":"Update","apiVersion":"v1",)"
           R"("time":"2026-11-19T23:00:20Z","fieldsType":"FieldsV1","fieldsV1":{"f:status":)"
           R"({"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:status":{},"f:type":{}}},)"
           R"("f:containerStatuses":{},"f:phase":{},"f:podIP":{}}},"subresource":"status"}])";
  }

  void AppendSpec(std::string& out, const std::string& app) {
    out +=
        R"({"volumes":[{"name":"kube-api-access","projected":{"sources":[{"serviceAccountToken":)"
        R"({"expirationSeconds":3607,"path":"token"}}],"defaultMode":420}}],"containers":[)";
    AppendContainer(out, "main", app, 30);
    out += ',';
    AppendContainer(out, "proxy", "mesh-proxy", 4);
    out += Text(R"(],"restartPolicy":"Always","terminationGracePeriodSeconds":30,)"
                R"("dnsPolicy":"ClusterFirst","serviceAccountName":"default",)"
                R"("nodeName":"node-%04d.example.internal","securityContext":{},)",
                static_cast<int>(random_() % 1000));
    out +=
        R"("schedulerName":"default-scheduler","tolerations":[{"key":"node.kubernetes.io/not-ready",)"
        R"("operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],"priority":0,)"
        R"("enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"})";
  }

  void AppendContainer(std::string& out, const char* name, const std::string& image, int settings) {
    out += Text(R"({"name":"%s","image":"registry.example/%s:v1.24.3","ports":[{"name":"http",)"
                R"("containerPort":8080,"protocol":"TCP"}],"env":[)",
                name, image.c_str());
    for (int i = 0; i < settings; ++i) {
      out += Text(R"(%s{"name":"SETTING_%02d","value":"postgres://database-%02d.shop.svc:5432/main)"
                  R"(?sslmode=verify-full&pool=%d"})",
                  i == 0 ? "" : ",", i, i, i * 3);
    }
    out += R"(],"resources":{"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"500m",)"
           R"("memory":"512Mi"}},"volumeMounts":[{"name":"kube-api-access","readOnly":true,)"
           R"("mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],"readinessProbe":)"
           R"({"httpGet":{"path":"/healthz","port":8080,"scheme":"HTTP"},"timeoutSeconds":1,)"
           R"("periodSeconds":10,"successThreshold":1,"failureThreshold":3},)"
           R"("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",)"
           R"("imagePullPolicy":"IfNotPresent"})";
  }

  void AppendStatus(std::string& out, int number, const std::string& app) {
    out += R"({"phase":"Running","conditions":[)";
    const char* const kConditions[] = {"PodReadyToStartContainers", "Initialized", "Ready",
                                       "ContainersReady", "PodScheduled"};
    for (const char* condition : kConditions) {
      if (out.back() == '}') out += ',';
      out += Text(R"({"type":"%s","status":"True","lastProbeTime":null,)"
                  R"("lastTransitionTime":"2026-11-19T23:%02d:%02dZ"})",
                  condition, number / 60 % 60, number % 60);
    }
    out +=
        Text(R"(],"hostIP":"192.0.2.%d","podIP":"10.%d.%d.%d","startTime":"2026-11-19T23:00:14Z",)"
             R"("containerStatuses":[)",
             number % 250, number >> 16 & 255, number >> 8 & 255, number & 255);
    for (const char* name : {"main", "proxy"}) {
      if (out.back() == '}') out += ',';
      out += Text(R"({"name":"%s","state":{"running":{"startedAt":"2026-11-19T23:00:16Z"}},)"
                  R"("lastState":{},"ready":true,"restartCount":%d,)"
                  R"("image":"registry.example/%s:v1.24.3","started":true,)",
                  name, number % 97 == 0 ? 3 : 0, app.c_str());
      out += Text(R"("containerID":"containerd://%016)" PRIx64 R"(%016)" PRIx64 R"("})", random_(),
                  random_());
    }
    out += R"(],"qosClass":"Burstable"})";
  }

  const int replica_sets_;
  std::mt19937_64 random_{42};
};

size_t ResidentBytes() {
  malloc_trim(0);
  std::ifstream statm("/proc/self/statm");
  size_t total = 0;
  size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

struct Totals {
  size_t bytes = 0;
  std::chrono::nanoseconds decoding{0};
  std::chrono::nanoseconds storing{0};
};

// In blocks of 64 KiB, as from a connection.
capstan::Status Decode(std::string_view page, capstan::ListReader& reader) {
  constexpr size_t kBlock = size_t{64} << 10;
  for (; !page.empty(); page.remove_prefix(std::min(kBlock, page.size()))) {
    if (capstan::Status status = reader.Feed(page.substr(0, kBlock)); !status.ok()) return status;
  }
  return reader.Finish().status();
}

void LoadPage(const std::string& page, const capstan::FieldSet& fields, capstan::Indexer& indexer,
              Totals& totals) {
  using Clock = std::chrono::steady_clock;
  totals.bytes += page.size();
  std::vector<capstan::ObjectPtr> items;
  const capstan::ListSink sink{
      .on_item = [&items](capstan::ObjectPtr item) { items.push_back(std::move(item)); },
      .on_malformed = {}};
  const auto start = Clock::now();
  const auto reader = capstan::NewJsonListReader(capstan::DescriptorOf<Pod>(), sink, fields);
  const capstan::Status status = Decode(page, *reader);
  const auto decoded = Clock::now();
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::exit(1);
  }
  for (auto& item : items) indexer.Put(std::move(item));
  totals.decoding += decoded - start;
  totals.storing += Clock::now() - decoded;
}

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

using Paths = std::vector<std::string_view>;

// Fields that other controllers of kube-controller-manager read.
const std::pair<const char*, Paths> kMore[] = {
    {"+ claims of volumes", {"spec.volumes.persistentVolumeClaim.claimName"}},
    {"+ addresses, container ports",
     {"status.podIPs", "spec.containers.ports", "spec.hostname", "spec.subdomain"}},
    {"+ requests and limits", {"spec.containers.resources", "spec.overhead"}},
    {"+ tolerations, gates, priority",
     {"spec.tolerations", "spec.schedulingGates", "spec.priority"}},
};

capstan::FieldSet FieldsOf(const Paths& paths) {
  auto fields = capstan::FieldSet::Of(capstan::DescriptorOf<Pod>(), paths);
  if (fields) return *fields;
  std::fprintf(stderr, "%s\n", fields.status().ToString().c_str());
  std::exit(1);
}

bool Measure(const char* what, const capstan::FieldSet& fields, int pods, int replica_sets) {
  PodGenerator generator(replica_sets);
  {
    // The first page causes permanent allocations that do not belong to a pod.
    capstan::Indexer warm_up(capstan::DescriptorOf<Pod>());
    Totals ignored;
    LoadPage(generator.Page(0, 10), fields, warm_up, ignored);
  }
  capstan::Indexer indexer(capstan::DescriptorOf<Pod>());
  Totals totals;
  const size_t before = ResidentBytes();
  for (int first = 0; first < pods; first += kPageSize) {
    LoadPage(generator.Page(first, std::min(kPageSize, pods - first)), fields, indexer, totals);
  }
  const size_t after = ResidentBytes();
  const auto count = static_cast<double>(indexer.size());
  std::printf("%-32s %5.0f bytes a pod, %4.0f MB/s, %6.0f pods/s decoded, %7.0f/s stored\n", what,
              static_cast<double>(after - before) / count,
              static_cast<double>(totals.bytes) / kMegabyte / Seconds(totals.decoding),
              count / Seconds(totals.decoding), count / Seconds(totals.storing));
  return indexer.size() == static_cast<size_t>(pods);
}

// Measures in a child process, so that earlier measurements have no influence.
bool MeasureAlone(const char* what, const capstan::FieldSet& fields, int pods, int replica_sets) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const bool good = Measure(what, fields, pods, replica_sets);
    std::fflush(stdout);
    _exit(good ? 0 : 1);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int pods = argc > 1 ? std::atoi(argv[1]) : 50000;
  const int replica_sets = argc > 2 ? std::atoi(argv[2]) : 500;
  if (pods < 1 || replica_sets < 1) {
    std::fprintf(stderr, "usage: pod_cache [pods] [ReplicaSets]\n");
    return 2;
  }
  // Large texts are returned to the system at once, so that only the cache remains.
  mallopt(M_MMAP_THRESHOLD, 256 * 1024);
  std::printf("%d pods of %d ReplicaSets, sizeof(Pod) = %zu\n", pods, replica_sets, sizeof(Pod));
  Paths paths(std::begin(capstan::replicaset::kPodFields),
              std::end(capstan::replicaset::kPodFields));
  paths.insert(paths.end(), std::begin(capstan::deployment::kPodFields),
               std::end(capstan::deployment::kPodFields));
  bool good = MeasureAlone("ReplicaSet and Deployment", FieldsOf(paths), pods, replica_sets);
  for (const auto& [what, more] : kMore) {
    paths.insert(paths.end(), more.begin(), more.end());
    good = MeasureAlone(what, FieldsOf(paths), pods, replica_sets) && good;
  }
  good = MeasureAlone("all fields", {}, pods, replica_sets) && good;
  return good ? 0 : 1;
}
