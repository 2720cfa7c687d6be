#include "apiserver/kinds.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "apiserver/strategy/spec_status_strategy.h"
#include "apiserver/strategy/strategies.h"
#include "apiserver/subresource/subresources.h"

namespace capstan::testing::server {
namespace {

// All served kinds, one row per kind. A kind without special rules has only a name. Other data of
// a kind:
//   names, schema, verbs, subresources, columns: schema/facts/kubernetes-1.36.txt
//   defaults and descriptions of fields: schema/facts/descriptions.txt
//   dependent defaults, validation, allowed updates: strategy/strategies.h
//   cells of table rows: print/rows.h
//   handlers of subresources: subresource/subresources.cpp
const KindRow kKinds[] = {
    {.resource = "v1 bindings", .strategy = BindingStrategy, .traits = {.create = ServeBinding}},
    {"v1 configmaps", ConfigMapStrategy, PrintConfigMap},
    {.resource = "v1 endpoints",
     .strategy = EndpointsStrategy,
     .print = PrintEndpoints,
     .traits = {.create_on_update = true,
                .etcd_folder = "services/endpoints",
                .deprecation = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 "
                               "EndpointSlice"}},
    {.resource = "v1 events",
     .strategy = CoreEventStrategy,
     .print = PrintEvent,
     .storage = "events",
     .traits = {.create_on_update = true, .owns_dependents = false}},
    {.resource = "v1 limitranges",
     .strategy = LimitRangeStrategy,
     .traits = {.create_on_update = true}},
    {.resource = "v1 namespaces",
     .strategy = NamespaceStrategy,
     .print = PrintNamespace,
     .traits = {.deletion_answers_object = true}},
    {.resource = "v1 nodes",
     .strategy = NodeStrategy,
     .print = PrintNode,
     .traits = {.etcd_folder = "minions"}},
    {.resource = "v1 persistentvolumeclaims",
     .strategy = VolumeClaimStrategy,
     .print = PrintVolumeClaim,
     .traits = {.deletion_answers_object = true}},
    {.resource = "v1 pods",
     .strategy = PodStrategy,
     .print = PrintPod,
     .traits = {.deletion_answers_object = true}},
    {.resource = "v1 resourcequotas",
     .strategy = ResourceQuotaStrategy,
     .print = PrintResourceQuota,
     .traits = {.deletion_answers_object = true}},
    {"v1 secrets", SecretStrategy, PrintSecret},
    {.resource = "v1 serviceaccounts",
     .strategy = ServiceAccountStrategy,
     .print = PrintServiceAccount,
     .traits = {.deletion_answers_object = true}},
    {.resource = "v1 services",
     .strategy = ServiceStrategy,
     .print = PrintService,
     .traits = {.create_on_update = true,
                .deletion_answers_object = true,
                .removes_endpoints = true,
                .etcd_folder = "services/specs"}},
    {"apps/v1 controllerrevisions", ControllerRevisionStrategy, PrintControllerRevision},
    {"apps/v1 daemonsets", DaemonSetStrategy, PrintDaemonSet},
    {"apps/v1 deployments", DeploymentStrategy, PrintDeployment},
    {"apps/v1 replicasets", ReplicaSetStrategy, PrintReplicaSet},
    {"apps/v1 statefulsets", StatefulSetStrategy, PrintStatefulSet},
    {.resource = "events.k8s.io/v1 events",
     .strategy = EventStrategy,
     .print = PrintEvent,
     .storage = "events",
     .traits = {.create_on_update = true, .owns_dependents = false}},
    {"autoscaling/v2 horizontalpodautoscalers", AutoscalerStrategy, PrintAutoscaler},
    {"batch/v1 cronjobs", CronJobStrategy, PrintCronJob},
    {.resource = "batch/v1 jobs",
     .strategy = JobStrategy,
     .print = PrintJob,
     .traits = {.orphans_by_default = true}},
    {"certificates.k8s.io/v1 certificatesigningrequests", CertificateRequestStrategy,
     PrintCertificateRequest},
    {.resource = "policy/v1 poddisruptionbudgets",
     .strategy = DisruptionBudgetStrategy,
     .print = PrintDisruptionBudget,
     .traits = {.unconditional_update = false}},
    {.resource = "apiextensions.k8s.io/v1 customresourcedefinitions",
     .strategy = DefinitionStrategy,
     .traits = {.unconditional_update = false,
                .etcd_folder = "apiextensions.k8s.io/customresourcedefinitions"}},
    {.resource = "coordination.k8s.io/v1 leases",
     .strategy = LeaseStrategy,
     .print = PrintLease,
     .traits = {.create_on_update = true, .unconditional_update = false}},
    {"discovery.k8s.io/v1 endpointslices", EndpointSliceStrategy, PrintEndpointSlice},
};

// "apps/v1.Deployment", "v1.Pod"
KindName NameOfKind(std::string_view type) {
  const size_t dot = type.rfind('.');
  const std::string_view version = type.substr(0, dot);
  const size_t slash = version.find('/');
  KindName name;
  if (slash != std::string_view::npos) name.group = version.substr(0, slash);
  name.version = slash == std::string_view::npos ? version : version.substr(slash + 1);
  name.kind = type.substr(dot + 1);
  return name;
}

StrategyPtr PlainStrategyOf(const Resource& resource) {
  if (resource.HasSubresource("status")) return std::make_shared<SpecStatusStrategy>();
  return std::make_shared<Strategy>();
}

}  // namespace

Resource ResourceOf(const KindRow& row) {
  const ResourceFacts* const facts = FindFacts(row.resource);
  if (!facts) throw std::logic_error("no facts about " + std::string(row.resource));
  const std::string type = facts->api_version + "." + facts->kind;
  const KindName kind = NameOfKind(type);
  Resource resource;
  resource.group = kind.group;
  resource.version = kind.version;
  resource.kind = kind.kind;
  resource.name = facts->name;
  resource.singular = facts->singular;
  resource.short_names = facts->short_names;
  resource.categories = facts->categories;
  resource.namespaced = facts->namespaced;
  resource.verbs = facts->verbs;
  resource.columns = facts->columns;
  resource.type = SchemaSet::BuiltIn().Find(type);
  for (const SubresourceFacts& part : facts->subresources) {
    const RequestHandler handler = FindHandler(row.resource, part.name);
    if (!handler) continue;
    resource.subresources.push_back({part.name, part.verbs, NameOfKind(part.type), handler});
  }
  resource.strategy = row.strategy ? row.strategy() : PlainStrategyOf(resource);
  resource.print = row.print ? row.print : PrintPlainly;
  resource.storage = row.storage.empty() ? resource.QualifiedName() : std::string(row.storage);
  resource.traits = row.traits;
  return resource;
}

std::vector<Resource> BuiltInResources() {
  std::vector<Resource> all;
  for (const KindRow& row : kKinds) all.push_back(ResourceOf(row));
  return all;
}

}  // namespace capstan::testing::server
