#include "apiserver/print/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/api/time.h>

#include "apiserver/print/human_duration.h"
#include "apiserver/print/json_path.h"
#include "apiserver/print/table_printer.h"
#include "sdk/testing/apiserver/json_values.h"

namespace capstan::testing::server {
namespace {

using json::Value;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kNow[] = "2026-01-02T03:04:05Z";

WallTime Now() { return api::Time::Parse(kNow)->ToWallTime(); }

const Resource& ResourceOf(const std::string& kind, const std::string& group = {}) {
  static const std::vector<Resource> all = BuiltInResources();
  for (const Resource& resource : all) {
    if (resource.kind == kind && resource.group == group) return resource;
  }
  throw std::runtime_error("no such kind: " + kind);
}

std::vector<std::string> Texts(const Value& array) {
  std::vector<std::string> texts;
  for (const Value& item : array.items()) {
    texts.push_back(item.IsString() ? item.AsString() : json::ToJson(item));
  }
  return texts;
}

// The cells of the only row of `object`.
std::vector<std::string> Row(const Resource& resource, const Value& object) {
  const Value table = TableOf(resource, {&object}, {}, "", Now());
  EXPECT_EQ(table.Get("rows").items().size(), 1U);
  return Texts(table.Get("rows").items().at(0).Get("cells"));
}

std::vector<std::string> Columns(const Resource& resource) {
  std::vector<std::string> names;
  const Value table = TableOf(resource, {}, {}, "", Now());
  for (const Value& column : table.Get("columnDefinitions").items()) {
    names.push_back(column.Get("name").AsString() +
                    (column.Get("priority").AsInteger() > 0 ? " (wide)" : ""));
  }
  return names;
}

// The cells Ready, Status and Restarts of a pod.
std::vector<std::string> PodRow(const std::string& json) {
  const auto row = Row(ResourceOf("Pod"), Json(json));
  return {row.begin() + 1, row.begin() + 4};
}

TEST(HumanDuration, RoundsLikeKubectl) {
  using std::chrono::hours;
  using std::chrono::minutes;
  using std::chrono::seconds;
  EXPECT_EQ(HumanDuration(seconds(0)), "0s");
  EXPECT_EQ(HumanDuration(seconds(119)), "119s");
  EXPECT_EQ(HumanDuration(seconds(120)), "2m");
  EXPECT_EQ(HumanDuration(seconds(200)), "3m20s");
  EXPECT_EQ(HumanDuration(minutes(10) + seconds(9)), "10m");
  EXPECT_EQ(HumanDuration(hours(3)), "3h");
  EXPECT_EQ(HumanDuration(hours(7) + minutes(59)), "7h59m");
  EXPECT_EQ(HumanDuration(hours(47)), "47h");
  EXPECT_EQ(HumanDuration(hours(49)), "2d1h");
  EXPECT_EQ(HumanDuration(hours(24 * 100)), "100d");
  EXPECT_EQ(HumanDuration(hours(24 * 365 * 2 + 24 * 31)), "2y31d");
  EXPECT_EQ(HumanDuration(hours(24 * 365 * 9 + 24 * 31)), "9y");
}

TEST(HumanDuration, ToleratesAClockSkewOfOneSecond) {
  EXPECT_EQ(HumanDuration(-std::chrono::seconds(1)), "0s");
  EXPECT_EQ(HumanDuration(-std::chrono::seconds(2)), "<invalid>");
}

TEST(Table, IsReturnedForTheAcceptHeaderOfKubectl) {
  const Value object = Json(R"({"metadata":{"name":"a","creationTimestamp":"2026-01-02T03:03:05Z",
      "labels":{"x":"y"}},"status":{"phase":"Active"}})");
  const Value table =
      TableOf(ResourceOf("Namespace"), {&object}, Json(R"({"resourceVersion":"7"})"), "", Now());
  EXPECT_EQ(table.Get("kind").AsString(), "Table");
  EXPECT_EQ(table.Get("apiVersion").AsString(), "meta.k8s.io/v1");
  EXPECT_EQ(table.Get("metadata", "resourceVersion").AsString(), "7");
  const Value& row = table.Get("rows").items().at(0);
  EXPECT_THAT(Texts(row.Get("cells")), ElementsAre("a", "Active", "60s"));
  EXPECT_EQ(row.Get("object", "kind").AsString(), "PartialObjectMetadata");
  EXPECT_EQ(row.Get("object", "metadata", "labels", "x").AsString(), "y");
  EXPECT_EQ(row.Get("object").Find("status"), nullptr);
  const Value& name = table.Get("columnDefinitions").items().at(0);
  EXPECT_EQ(name.Get("format").AsString(), "name");
}

TEST(Table, IncludesTheRequestedFormOfTheObject) {
  const Value object = Json(R"({"metadata":{"name":"a"},"data":{"k":"v"}})");
  const auto included = [&object](std::string_view include) {
    return TableOf(ResourceOf("ConfigMap"), {&object}, {}, include, Now())
        .Get("rows")
        .items()
        .at(0)
        .Get("object");
  };
  EXPECT_EQ(included("Object"), object);
  EXPECT_TRUE(included("None").IsNull());
  EXPECT_EQ(included("Metadata").Get("metadata"), object.Get("metadata"));
}

TEST(Table, AnEmptyListHasColumnsAndNoRows) {
  const Value table = TableOf(ResourceOf("Pod"), {}, Json(R"({"resourceVersion":"7"})"), "", Now());
  EXPECT_TRUE(table.Get("rows").IsArray());
  EXPECT_THAT(table.Get("rows").items(), IsEmpty());
  EXPECT_FALSE(table.Get("columnDefinitions").items().empty());
}

TEST(Table, HasTheColumnsOfKubeApiserver) {
  EXPECT_THAT(Columns(ResourceOf("Pod")),
              ElementsAre("Name", "Ready", "Status", "Restarts", "Age", "IP (wide)", "Node (wide)",
                          "Nominated Node (wide)", "Readiness Gates (wide)"));
  EXPECT_THAT(Columns(ResourceOf("Deployment", "apps")),
              ElementsAre("Name", "Ready", "Up-to-date", "Available", "Age", "Containers (wide)",
                          "Images (wide)", "Selector (wide)"));
  EXPECT_THAT(Columns(ResourceOf("ReplicaSet", "apps")),
              ElementsAre("Name", "Desired", "Current", "Ready", "Age", "Containers (wide)",
                          "Images (wide)", "Selector (wide)"));
  EXPECT_THAT(
      Columns(ResourceOf("Event")),
      ElementsAre("Last Seen", "Type", "Reason", "Object", "Subobject (wide)", "Source (wide)",
                  "Message", "First Seen (wide)", "Count (wide)", "Name (wide)"));
  EXPECT_THAT(Columns(ResourceOf("Lease", "coordination.k8s.io")),
              ElementsAre("Name", "Holder", "Age"));
  EXPECT_THAT(Columns(ResourceOf("CustomResourceDefinition", "apiextensions.k8s.io")),
              ElementsAre("Name", "Created At"));
}

TEST(Table, EveryRowHasACellForEachColumn) {
  const Value object = Json(R"({"metadata":{"name":"a"}})");
  for (const Resource& resource : BuiltInResources()) {
    const Value table = TableOf(resource, {&object}, {}, "", Now());
    EXPECT_EQ(table.Get("rows").items().at(0).Get("cells").items().size(),
              table.Get("columnDefinitions").items().size())
        << resource.QualifiedName();
  }
}

TEST(Table, HandlesMalformedObjects) {
  for (const char* text : {"{}", "[]", "1", R"({"metadata":[],"spec":"x","status":7})",
                           R"({"status":{"containerStatuses":[1,null,"x",[]],
                               "conditions":[3]},"spec":{"containers":{"a":1}}})"}) {
    const Value object = Json(text);
    for (const Resource& resource : BuiltInResources()) {
      EXPECT_FALSE(Row(resource, object).empty()) << resource.QualifiedName() << " " << text;
    }
  }
}

TEST(PodTable, ShowsARunningPod) {
  EXPECT_THAT(
      Row(ResourceOf("Pod"), Json(R"({
      "metadata":{"name":"web","creationTimestamp":"2026-01-02T03:00:05Z"},
      "spec":{"nodeName":"node-1","containers":[{"name":"a"},{"name":"b"}]},
      "status":{"phase":"Running","podIP":"10.1.0.1","podIPs":[{"ip":"10.1.0.1"}],
        "conditions":[{"type":"Ready","status":"False"}],"containerStatuses":[
        {"name":"a","ready":true,"state":{"running":{}},"restartCount":0},
        {"name":"b","ready":false,"state":{"running":{}},"restartCount":0}]}})")),
      ElementsAre("web", "1/2", "Running", "0", "4m", "10.1.0.1", "node-1", "<none>", "<none>"));
}

TEST(PodTable, ShowsTheWaitingReason) {
  EXPECT_THAT(PodRow(R"({"spec":{"containers":[{}]},"status":{"phase":"Pending"}})"),
              ElementsAre("0/1", "Pending", "0"));
  EXPECT_THAT(PodRow(R"({"spec":{"containers":[{}]},"status":{"phase":"Pending",
      "containerStatuses":[{"state":{"waiting":{"reason":"ContainerCreating"}}}]}})"),
              ElementsAre("0/1", "ContainerCreating", "0"));
  EXPECT_THAT(PodRow(R"({"spec":{"containers":[{}]},"status":{"phase":"Pending","conditions":[
      {"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]}})"),
              ElementsAre("0/1", "SchedulingGated", "0"));
}

TEST(PodTable, ShowsRestartsAndTheTimeOfTheLastOne) {
  EXPECT_THAT(PodRow(R"({"spec":{"containers":[{}]},"status":{"phase":"Running",
      "containerStatuses":[{"restartCount":3,"state":{"waiting":{"reason":"CrashLoopBackOff"}},
        "lastState":{"terminated":{"exitCode":1,"finishedAt":"2026-01-02T03:03:05Z"}}}]}})"),
              ElementsAre("0/1", "CrashLoopBackOff", "3 (60s ago)"));
  EXPECT_THAT(PodRow(R"({"spec":{"containers":[{}]},"status":{"phase":"Running",
      "containerStatuses":[{"restartCount":2,"ready":true,"state":{"running":{}}}]}})"),
              ElementsAre("1/1", "Running", "2"));
}

TEST(PodTable, ShowsTheTerminationReason) {
  EXPECT_THAT(PodRow(R"({"spec":{"containers":[{}]},"status":{"phase":"Succeeded",
      "containerStatuses":[{"state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]}})"),
              ElementsAre("0/1", "Completed", "0"));
  EXPECT_THAT(PodRow(R"({"spec":{"containers":[{}]},"status":{"phase":"Failed",
      "containerStatuses":[{"state":{"terminated":{"exitCode":137,"signal":9}}}]}})"),
              ElementsAre("0/1", "Signal:9", "0"));
  EXPECT_THAT(PodRow(R"({"spec":{"containers":[{}]},"status":{"phase":"Failed",
      "containerStatuses":[{"state":{"terminated":{"exitCode":2}}}]}})"),
              ElementsAre("0/1", "ExitCode:2", "0"));
  EXPECT_THAT(PodRow(R"({"spec":{"containers":[{}]},"status":{"phase":"Failed",
      "reason":"Evicted"}})"),
              ElementsAre("0/1", "Evicted", "0"));
}

TEST(PodTable, ShowsTheWorseOfACompletedAndAFailedContainer) {
  EXPECT_THAT(PodRow(R"({"spec":{"containers":[{},{}]},"status":{"phase":"Running",
      "containerStatuses":[{"state":{"terminated":{"exitCode":0,"reason":"Completed"}}},
                           {"state":{"terminated":{"exitCode":1,"reason":"Error"}}}]}})"),
              ElementsAre("0/2", "Error", "0"));
  EXPECT_THAT(PodRow(R"({"spec":{"containers":[{},{}]},"status":{"phase":"Running",
      "conditions":[{"type":"Ready","status":"True"}],
      "containerStatuses":[{"state":{"terminated":{"exitCode":0,"reason":"Completed"}}},
                           {"ready":true,"state":{"running":{}}}]}})"),
              ElementsAre("1/2", "Running", "0"));
}

TEST(PodTable, ShowsTheInitializationProgress) {
  EXPECT_THAT(PodRow(R"({"spec":{"initContainers":[{"name":"a"},{"name":"b"}],"containers":[{}]},
      "status":{"phase":"Pending","initContainerStatuses":[
        {"name":"a","state":{"terminated":{"exitCode":0}}},
        {"name":"b","state":{"running":{}}}]}})"),
              ElementsAre("0/1", "Init:1/2", "0"));
  EXPECT_THAT(PodRow(R"({"spec":{"initContainers":[{"name":"a"}],"containers":[{}]},
      "status":{"phase":"Pending","initContainerStatuses":[
        {"name":"a","restartCount":4,"state":{"terminated":{"exitCode":1,"reason":"Error"}}}]}})"),
              ElementsAre("0/1", "Init:Error", "4"));
  EXPECT_THAT(PodRow(R"({"spec":{"initContainers":[{"name":"a"}],"containers":[{}]},
      "status":{"phase":"Pending","initContainerStatuses":[
        {"name":"a","state":{"waiting":{"reason":"ImagePullBackOff"}}}]}})"),
              ElementsAre("0/1", "Init:ImagePullBackOff", "0"));
}

TEST(PodTable, CountsSidecarsAsContainers) {
  EXPECT_THAT(PodRow(R"({"spec":{"initContainers":[{"name":"s","restartPolicy":"Always"}],
      "containers":[{"name":"a"}]},"status":{"phase":"Running",
      "initContainerStatuses":[{"name":"s","started":true,"ready":true,"restartCount":1,
                                "state":{"running":{}}}],
      "containerStatuses":[{"name":"a","ready":true,"restartCount":2,"state":{"running":{}}}]}})"),
              ElementsAre("2/2", "Running", "3"));
}

TEST(PodTable, ShowsATerminatingPod) {
  EXPECT_THAT(PodRow(R"({"metadata":{"deletionTimestamp":"2026-01-02T03:04:05Z"},
      "spec":{"containers":[{}]},"status":{"phase":"Running"}})"),
              ElementsAre("0/1", "Terminating", "0"));
  EXPECT_THAT(PodRow(R"({"metadata":{"deletionTimestamp":"2026-01-02T03:04:05Z"},
      "spec":{"containers":[{}]},"status":{"phase":"Running","reason":"NodeLost"}})"),
              ElementsAre("0/1", "Unknown", "0"));
}

TEST(PodTable, MarksAFinishedPodAsCompleted) {
  const Value pod = Json(R"({"spec":{"containers":[{}]},"status":{"phase":"Succeeded"}})");
  const Value table = TableOf(ResourceOf("Pod"), {&pod}, {}, "", Now());
  const Value& condition = table.Get("rows").items().at(0).Get("conditions").items().at(0);
  EXPECT_EQ(condition.Get("type").AsString(), "Completed");
  EXPECT_EQ(condition.Get("reason").AsString(), "Succeeded");
}

TEST(WorkloadTable, ShowsADeployment) {
  EXPECT_THAT(
      Row(ResourceOf("Deployment", "apps"), Json(R"({
      "metadata":{"name":"web","creationTimestamp":"2026-01-02T03:04:00Z"},
      "spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"},
        "matchExpressions":[{"key":"a","operator":"In","values":["z","y"]}]},
        "template":{"spec":{"containers":[{"name":"a","image":"nginx"},
                                          {"name":"b","image":"redis"}]}}},
      "status":{"readyReplicas":2,"updatedReplicas":1,"availableReplicas":2}})")),
      ElementsAre("web", "2/3", "1", "2", "5s", "a,b", "nginx,redis", "a in (y,z),app=web"));
}

TEST(WorkloadTable, ShowsAReplicaSet) {
  EXPECT_THAT(Row(ResourceOf("ReplicaSet", "apps"), Json(R"({"metadata":{"name":"web"},
      "spec":{"replicas":3,"selector":{}},"status":{"replicas":2}})")),
              ElementsAre("web", "3", "2", "0", "<unknown>", "", "", "<none>"));
}

TEST(NodeTable, ShowsStatusRolesAndVersion) {
  EXPECT_THAT(Row(ResourceOf("Node"), Json(R"({"metadata":{"name":"n",
        "labels":{"node-role.kubernetes.io/worker":"","kubernetes.io/role":"edge"}},
      "spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True"}],
        "addresses":[{"type":"InternalIP","address":"10.0.0.1"}],
        "nodeInfo":{"kubeletVersion":"v1.36.3","kernelVersion":"6.1","architecture":"amd64"}}})")),
              ElementsAre("n", "Ready,SchedulingDisabled", "edge,worker", "<unknown>", "v1.36.3",
                          "10.0.0.1", "<none>", "<unknown>", "6.1 (amd64)", "<unknown>"));
}

TEST(ServiceTable, ShowsAddressesAndPorts) {
  EXPECT_THAT(Row(ResourceOf("Service"), Json(R"({"metadata":{"name":"s"},
      "spec":{"type":"NodePort","clusterIPs":["10.0.0.7"],"selector":{"b":"2","a":"1"},
      "ports":[{"port":80,"nodePort":30080,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]}})")),
              ElementsAre("s", "NodePort", "10.0.0.7", "<none>", "80:30080/TCP,53/UDP", "<unknown>",
                          "a=1,b=2"));
  EXPECT_EQ(Row(ResourceOf("Service"), Json(R"({"spec":{"type":"LoadBalancer"}})")).at(3),
            "<pending>");
}

TEST(EventTable, ShowsEventsOfBothGroups) {
  EXPECT_THAT(Row(ResourceOf("Event"), Json(R"({"metadata":{"name":"e"},"type":"Normal",
      "reason":"Created","message":" Created it \n","count":4,
      "involvedObject":{"kind":"ReplicaSet","name":"web"},"source":{"component":"rs","host":"h"},
      "firstTimestamp":"2026-01-02T03:02:05Z","lastTimestamp":"2026-01-02T03:04:00Z"})")),
              ElementsAre("5s", "Normal", "Created", "replicaset/web", "", "rs, h", "Created it",
                          "2m", "4", "e"));
  EXPECT_THAT(Row(ResourceOf("Event", "events.k8s.io"), Json(R"({"metadata":{"name":"e"},
      "type":"Warning","reason":"Failed","note":"no","eventTime":"2026-01-02T03:04:00.000000Z",
      "regarding":{"kind":"Pod","name":"p"},"reportingController":"kubelet"})")),
              ElementsAre("5s", "Warning", "Failed", "pod/p", "", "kubelet", "no", "5s", "1", "e"));
}

TEST(CustomTable, HasTheColumnsOfTheDefinition) {
  const TablePrinter printer = CustomPrinter(Json(R"([
      {"name":"Phase","type":"string","jsonPath":".status.phase"},
      {"name":"Count","type":"integer","jsonPath":".spec.count","priority":1},
      {"name":"On","type":"boolean","jsonPath":".spec.on"},
      {"name":"Since","type":"date","jsonPath":".status.since"},
      {"name":"Ready","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].status"},
      {"name":"Gone","type":"string","jsonPath":".status.gone"}])"));
  ASSERT_EQ(printer.columns.size(), 7U);
  EXPECT_EQ(printer.columns[2].priority, 1);
  const TableRow row = printer.print(Json(R"({"metadata":{"name":"w"},
      "spec":{"count":3.0,"on":true},"status":{"phase":"Up","since":"2026-01-02T03:04:00Z",
      "conditions":[{"type":"A","status":"x"},{"type":"Ready","status":"True"}]}})"),
                                     Now());
  EXPECT_THAT(Texts(Value::Array(row.cells)),
              ElementsAre("w", "Up", "3", "true", "5s", "True", "null"));
}

TEST(CustomTable, HasTheAgeWithoutColumnsInTheDefinition) {
  const TablePrinter printer = CustomPrinter({});
  ASSERT_EQ(printer.columns.size(), 2U);
  EXPECT_EQ(printer.columns[1].name, "Age");
  const Value object =
      Json(R"({"metadata":{"name":"w","creationTimestamp":"2026-01-02T03:04:00Z"}})");
  EXPECT_THAT(Texts(Value::Array(printer.print(object, Now()).cells)), ElementsAre("w", "5s"));
}

TEST(JsonPath, FindsMembersItemsAndMatches) {
  const Value value = Json(R"({"a":{"b.c":[1,2,3]},"l":[{"k":"x","v":1},{"k":"y","v":2}]})");
  const auto at = [&value](std::string_view path) {
    std::vector<std::string> texts;
    const auto found = FindPath(value, path);
    if (!found) return std::vector<std::string>{"not understood"};
    for (const Value* one : *found) texts.push_back(json::ToJson(*one));
    return texts;
  };
  EXPECT_THAT(at(".a['b.c'][0]"), ElementsAre("1"));
  EXPECT_THAT(at(".a.b\\.c[-1]"), ElementsAre("3"));
  EXPECT_THAT(at(".a['b.c'][*]"), ElementsAre("1", "2", "3"));
  EXPECT_THAT(at(".l[?(@.k=='y')].v"), ElementsAre("2"));
  EXPECT_THAT(at(".l[?(@.v != 2)].k"), ElementsAre("\"x\""));
  EXPECT_THAT(at(".a.x.y"), IsEmpty());
  EXPECT_THAT(at(".l[9]"), IsEmpty());
  for (const char* bad : {"a", ".a[", ".a[x]", ".a[?(@.k)]", ".l[?(@.a[?(@.b==1)]==1)]", ".a[1",
                          ".a['b", "..", ".a[99999999999999999999]"}) {
    EXPECT_THAT(at(bad), ElementsAre("not understood")) << bad;
  }
}

}  // namespace
}  // namespace capstan::testing::server
