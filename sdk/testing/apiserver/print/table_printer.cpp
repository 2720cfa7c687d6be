#include "apiserver/print/table_printer.h"

#include <cctype>
#include <set>
#include <utility>

#include <capstan/runtime/format.h>

#include "apiserver/print/human_duration.h"
#include "apiserver/subresource/scale.h"

namespace capstan::testing::server {
namespace {

using json::Value;

std::string Joined(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ",") + text;
  return joined;
}

Value Or(const Value& text, std::string_view other) {
  return text.IsEmpty() ? Value(other) : Value(text.AsString());
}

Value Number(const Value& value) { return value.AsInteger(); }

const Value& NameOf(const Value& object) { return object.Get("metadata", "name"); }
Value Age(const Value& object, WallTime now) {
  return AgeOf(object.Get("metadata", "creationTimestamp"), now);
}

// Names and images of a workload's containers, for its wide columns.
std::pair<std::string, std::string> Containers(const Value& workload) {
  std::vector<std::string> names;
  std::vector<std::string> images;
  for (const Value& container : workload.Get("spec", "template", "spec", "containers").items()) {
    names.push_back(container.Get("name").AsString());
    images.push_back(container.Get("image").AsString());
  }
  return {Joined(names), Joined(images)};
}

std::string Labels(const Value& labels) {
  std::vector<std::string> terms;
  for (const auto& [key, value] : labels.members()) terms.push_back(key + "=" + value.AsString());
  return Joined(terms);
}

TableRow PrintDeployment(const Value& object, WallTime now) {
  const Value& status = object.Get("status");
  auto [names, images] = Containers(object);
  return {{NameOf(object),
           Format("{}/{}", status.Get("readyReplicas").AsInteger(),
                  object.Get("spec", "replicas").AsInteger()),
           Number(status.Get("updatedReplicas")), Number(status.Get("availableReplicas")),
           Age(object, now), std::move(names), std::move(images),
           SelectorText(object.Get("spec", "selector"))}};
}

TableRow PrintReplicaSet(const Value& object, WallTime now) {
  const Value& status = object.Get("status");
  auto [names, images] = Containers(object);
  return {{NameOf(object), Number(object.Get("spec", "replicas")), Number(status.Get("replicas")),
           Number(status.Get("readyReplicas")), Age(object, now), std::move(names),
           std::move(images), Or(SelectorText(object.Get("spec", "selector")), "<none>")}};
}

std::string ExternalAddress(const Value& service) {
  const Value& spec = service.Get("spec");
  const std::string& type = spec.Get("type").AsString();
  if (type == "ExternalName") return spec.Get("externalName").AsString();
  const bool balanced = type == "LoadBalancer";
  if (!balanced && type != "ClusterIP" && type != "NodePort") return "<unknown>";
  std::vector<std::string> addresses;
  if (balanced) {
    std::set<std::string> sorted;
    for (const Value& ingress : service.Get("status", "loadBalancer", "ingress").items()) {
      const Value& address = ingress.Get(ingress.Get("ip").IsEmpty() ? "hostname" : "ip");
      if (!address.IsEmpty()) sorted.insert(address.AsString());
    }
    addresses.assign(sorted.begin(), sorted.end());
  }
  for (const Value& ip : spec.Get("externalIPs").items()) addresses.push_back(ip.AsString());
  if (addresses.empty()) return balanced ? "<pending>" : "<none>";
  return Joined(addresses);
}

std::string Ports(const Value& service) {
  std::vector<std::string> ports;
  for (const Value& port : service.Get("spec", "ports").items()) {
    std::string number = std::to_string(port.Get("port").AsInteger());
    if (const int64_t node_port = port.Get("nodePort").AsInteger(); node_port > 0) {
      number += ":" + std::to_string(node_port);
    }
    ports.push_back(number + "/" + port.Get("protocol").AsString());
  }
  return Joined(ports);
}

TableRow PrintService(const Value& object, WallTime now) {
  const auto& ips = object.Get("spec", "clusterIPs").items();
  return {{NameOf(object), object.Get("spec", "type"), ips.empty() ? Value("<none>") : ips[0],
           ExternalAddress(object), Or(Ports(object), "<none>"), Age(object, now),
           Or(Labels(object.Get("spec", "selector")), "<none>")}};
}

std::string NodeStatus(const Value& node) {
  std::string text = "Unknown";
  for (const Value& condition : node.Get("status", "conditions").items()) {
    if (condition.Get("type").AsString() == "Ready") {
      text = condition.Get("status").AsString() == "True" ? "Ready" : "NotReady";
    }
  }
  return node.Get("spec", "unschedulable").AsBool() ? text + ",SchedulingDisabled" : text;
}

std::string NodeRoles(const Value& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& [key, value] : node.Get("metadata", "labels").members()) {
    if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) {
      roles.insert(key.substr(kPrefix.size()));
    } else if (key == "kubernetes.io/role" && !value.IsEmpty()) {
      roles.insert(value.AsString());
    }
  }
  return Joined({roles.begin(), roles.end()});
}

Value NodeAddress(const Value& node, std::string_view type) {
  for (const Value& address : node.Get("status", "addresses").items()) {
    if (address.Get("type").AsString() == type) return address.Get("address");
  }
  return "<none>";
}

TableRow PrintNode(const Value& object, WallTime now) {
  const Value& info = object.Get("status", "nodeInfo");
  std::string kernel = Or(info.Get("kernelVersion"), "<unknown>").AsString();
  if (const Value& architecture = info.Get("architecture"); !architecture.IsEmpty()) {
    kernel += " (" + architecture.AsString() + ")";
  }
  return {{NameOf(object), NodeStatus(object), Or(NodeRoles(object), "<none>"), Age(object, now),
           info.Get("kubeletVersion").AsString(), NodeAddress(object, "InternalIP"),
           NodeAddress(object, "ExternalIP"), Or(info.Get("osImage"), "<unknown>"),
           std::move(kernel), Or(info.Get("containerRuntimeVersion"), "<unknown>")}};
}

// Events are core/v1's or those of events.k8s.io/v1, which name the same fields differently.
const Value& Either(const Value& object, std::string_view a, std::string_view b) {
  const Value& value = object.Get(a);
  return value.IsNull() ? object.Get(b) : value;
}

std::string EventTarget(const Value& regarding) {
  std::string text = regarding.Get("kind").AsString();
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string& name = regarding.Get("name").AsString();
  return name.empty() ? text : text + "/" + name;
}

std::string EventSource(const Value& event) {
  const Value& source = Either(event, "source", "deprecatedSource");
  const auto first = [](const Value& a, const Value& b) {
    return a.IsEmpty() ? b.AsString() : a.AsString();
  };
  const std::string component =
      first(source.Get("component"), Either(event, "reportingComponent", "reportingController"));
  const std::string host = first(source.Get("host"), event.Get("reportingInstance"));
  return host.empty() ? component : component + ", " + host;
}

std::string Trimmed(const std::string& text) {
  constexpr char kSpace[] = " \t\r\n\v\f";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

TableRow PrintEvent(const Value& object, WallTime now) {
  const Value& first_time = Either(object, "firstTimestamp", "deprecatedFirstTimestamp");
  const Value& last_time = Either(object, "lastTimestamp", "deprecatedLastTimestamp");
  const Value& series = object.Get("series");
  const Value& regarding = Either(object, "involvedObject", "regarding");
  const std::string first = AgeOf(first_time.IsEmpty() ? object.Get("eventTime") : first_time, now);
  std::string last = last_time.IsEmpty() ? first : AgeOf(last_time, now);
  int64_t count = Either(object, "count", "deprecatedCount").AsInteger();
  if (series.IsObject()) {
    last = AgeOf(series.Get("lastObservedTime"), now);
    count = series.Get("count").AsInteger();
  } else if (count == 0) {
    count = 1;
  }
  return {{std::move(last), object.Get("type").AsString(), object.Get("reason").AsString(),
           EventTarget(regarding), regarding.Get("fieldPath").AsString(), EventSource(object),
           Trimmed(Either(object, "message", "note").AsString()), first, count, NameOf(object)}};
}

TableRow PrintNamespace(const Value& object, WallTime now) {
  return {{NameOf(object), object.Get("status", "phase").AsString(), Age(object, now)}};
}

TableRow PrintConfigMap(const Value& object, WallTime now) {
  const size_t size =
      object.Get("data").members().size() + object.Get("binaryData").members().size();
  return {{NameOf(object), static_cast<int64_t>(size), Age(object, now)}};
}

TableRow PrintSecret(const Value& object, WallTime now) {
  return {{NameOf(object), object.Get("type").AsString(),
           static_cast<int64_t>(object.Get("data").members().size()), Age(object, now)}};
}

TableRow PrintServiceAccount(const Value& object, WallTime now) {
  return {{NameOf(object), Age(object, now)}};
}

TableRow PrintLease(const Value& object, WallTime now) {
  return {{NameOf(object), object.Get("spec", "holderIdentity").AsString(), Age(object, now)}};
}

TableRow PrintPlainly(const Value& object, WallTime) {
  return {{NameOf(object), object.Get("metadata", "creationTimestamp")}};
}

// The columns that end the tables of workloads.
void AddTemplateColumns(std::vector<TableColumn>& columns) {
  columns.push_back({"Containers", "string", "Names of the template's containers.", 1});
  columns.push_back({"Images", "string", "Images of the template's containers.", 1});
  columns.push_back({"Selector", "string", "The labels of the pods.", 1});
}

TablePrinter DeploymentPrinter() {
  TablePrinter printer{{NameColumn(),
                        {"Ready", "string", "Ready pods of the wanted ones."},
                        {"Up-to-date", "string", "Pods of the newest template."},
                        {"Available", "string", "Pods that are ready for long enough."},
                        AgeColumn()},
                       PrintDeployment};
  AddTemplateColumns(printer.columns);
  return printer;
}

TablePrinter ReplicaSetPrinter() {
  TablePrinter printer{{NameColumn(),
                        {"Desired", "integer", "Pods that are wanted."},
                        {"Current", "integer", "Pods that there are."},
                        {"Ready", "integer", "Pods that are ready."},
                        AgeColumn()},
                       PrintReplicaSet};
  AddTemplateColumns(printer.columns);
  return printer;
}

TablePrinter ServicePrinter() {
  return {{NameColumn(),
           {"Type", "string", "How the service is exposed."},
           {"Cluster-IP", "string", "The address inside of the cluster."},
           {"External-IP", "string", "The addresses outside of the cluster."},
           {"Port(s)", "string", "The ports that are exposed."},
           AgeColumn(),
           {"Selector", "string", "The labels of the pods behind it.", 1}},
          PrintService};
}

TablePrinter NodePrinter() {
  return {{NameColumn(),
           {"Status", "string", "The status of the node"},
           {"Roles", "string", "The roles of the node"},
           AgeColumn(),
           {"Version", "string", "The version of its kubelet."},
           {"Internal-IP", "string", "Its address inside of the cluster.", 1},
           {"External-IP", "string", "Its address outside of the cluster.", 1},
           {"OS-Image", "string", "The operating system.", 1},
           {"Kernel-Version", "string", "The kernel.", 1},
           {"Container-Runtime", "string", "The container runtime.", 1}},
          PrintNode};
}

TablePrinter EventPrinter() {
  TableColumn name = NameColumn();
  name.priority = 1;
  return {{{"Last Seen", "string", "When it happened last."},
           {"Type", "string", "Normal or Warning."},
           {"Reason", "string", "Why, in one word."},
           {"Object", "string", "What the event is about."},
           {"Subobject", "string", "The part of the object that it is about.", 1},
           {"Source", "string", "Who reports it.", 1},
           {"Message", "string", "Why, for people."},
           {"First Seen", "string", "When it happened first.", 1},
           {"Count", "string", "How often it happened.", 1},
           std::move(name)},
          PrintEvent};
}

}  // namespace

TableColumn NameColumn() { return {"Name", "string", "The object's name.", 0, "name"}; }
TableColumn AgeColumn() { return {"Age", "string", "How long ago it was created."}; }

TablePrinter PlainPrinter() {
  return {{NameColumn(), {"Created At", "date", "When it was created."}}, PrintPlainly};
}

std::optional<TablePrinter> BuiltInPrinter(std::string_view group, std::string_view kind) {
  if (kind == "Event") return EventPrinter();
  if (group == "apps" && kind == "Deployment") return DeploymentPrinter();
  if (group == "apps" && kind == "ReplicaSet") return ReplicaSetPrinter();
  if (group == "coordination.k8s.io" && kind == "Lease") {
    return TablePrinter{{NameColumn(), {"Holder", "string", "Who holds it."}, AgeColumn()},
                        PrintLease};
  }
  if (!group.empty()) return std::nullopt;
  if (kind == "Pod") return PodPrinter();
  if (kind == "Service") return ServicePrinter();
  if (kind == "Node") return NodePrinter();
  if (kind == "Namespace") {
    return TablePrinter{
        {NameColumn(), {"Status", "string", "The status of the namespace"}, AgeColumn()},
        PrintNamespace};
  }
  const TableColumn data{"Data", "string", "How many entries it has."};
  if (kind == "ConfigMap") return TablePrinter{{NameColumn(), data, AgeColumn()}, PrintConfigMap};
  if (kind == "Secret") {
    return TablePrinter{{NameColumn(), {"Type", "string", "What it holds."}, data, AgeColumn()},
                        PrintSecret};
  }
  if (kind == "ServiceAccount") {
    return TablePrinter{{NameColumn(), AgeColumn()}, PrintServiceAccount};
  }
  return std::nullopt;
}

}  // namespace capstan::testing::server
