#include "sample_objects.h"

#include <stdexcept>
#include <utility>

namespace capstan::differential {
namespace {

std::string Labels(Dice& dice) {
  return dice.Of({R"({"app":"web"})", R"({"app":"db"})", R"({"app":"web","tier":"front"})",
                  R"({"app":"db","tier":"back"})", R"({})", R"({"tier":""})"});
}

std::string PodSpec(Dice& dice) {
  std::string spec = R"({"containers":[{"name":"main","image":")" +
                     dice.Of({"nginx", "nginx:1.27",
                              "registry.example/a/b@sha256:"
                              "0123456789012345678901234567890123456789012345678901234567890123",
                              "nginx:latest"}) +
                     "\"";
  if (dice.Percent(30)) spec += R"(,"ports":[{"containerPort":80,"name":"http"}])";
  if (dice.Percent(30)) {
    spec += R"(,"resources":{"limits":{"cpu":"0.5","memory":"1024Mi"},"requests":{"cpu":"100m"}})";
  }
  if (dice.Percent(30)) {
    spec += R"(,"env":[{"name":"A","value":"1"},)"
            R"({"name":"B","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}])";
  }
  if (dice.Percent(20)) {
    spec += R"(,"readinessProbe":{"httpGet":{"path":"/ready","port":"http"},"periodSeconds":5})";
  }
  if (dice.Percent(20)) spec += R"(,"livenessProbe":{"exec":{"command":["true"]}})";
  if (dice.Percent(20)) spec += R"(,"volumeMounts":[{"name":"v","mountPath":"/v"}])";
  spec += "}";
  if (dice.Percent(20)) spec += R"(,{"name":"side","image":"busybox","command":["sleep","9"]})";
  spec += R"(],"volumes":[{"name":"v","emptyDir":{}}])";
  if (dice.Percent(15)) spec += R"(,"initContainers":[{"name":"init","image":"busybox"}])";
  if (dice.Percent(15)) spec += R"(,"terminationGracePeriodSeconds":5)";
  if (dice.Percent(15)) spec += R"(,"nodeSelector":{"disk":"ssd"})";
  if (dice.Percent(15)) {
    spec += R"(,"tolerations":[{"key":"a","operator":"Exists","effect":"NoSchedule"}])";
  }
  if (dice.Percent(10)) spec += R"(,"securityContext":{"runAsUser":1000})";
  return spec + "}";
}

std::string Template(Dice& dice, bool matching) {
  std::string pod = PodSpec(dice);
  return R"({"metadata":{"labels":{"app":")" + std::string(matching ? "web" : "other") +
         R"("}},"spec":)" + pod + "}";
}

std::string DeploymentSpec(Dice& dice) {
  std::string spec =
      R"({"selector":{"matchLabels":{"app":"web"}},"template":)" + Template(dice, !dice.Percent(4));
  if (dice.Percent(60)) spec += R"(,"replicas":)" + dice.Of({"0", "1", "3"});
  if (dice.Percent(20))
    spec += R"(,"strategy":{"type":"Recreate"})";
  else if (dice.Percent(30)) {
    spec += R"(,"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":)" +
            dice.Of({"1", "\"50%\"", "0", "\"x\"", "-1", "\"110%\""}) + R"(,"maxUnavailable":)" +
            dice.Of({"1", "\"25%\"", "0", "\"101%\""}) + "}}";
  }
  if (dice.Percent(15)) spec += R"(,"minReadySeconds":5,"progressDeadlineSeconds":60)";
  if (dice.Percent(15)) spec += R"(,"revisionHistoryLimit":2,"paused":true)";
  return spec + "}";
}

std::string ReplicaSetSpec(Dice& dice) {
  std::string spec =
      R"({"selector":{"matchLabels":{"app":"web"}},"template":)" + Template(dice, !dice.Percent(4));
  if (dice.Percent(60)) spec += R"(,"replicas":)" + dice.Of({"0", "1", "3"});
  return spec + "}";
}

std::string ServiceSpec(Dice& dice) {
  return dice.Of(
      {R"({"selector":{"app":"web"},"ports":[{"port":80}]})",
       R"({"selector":{"app":"web"},"ports":[{"port":80,"targetPort":"http","name":"a"},)"
       R"({"port":81,"protocol":"UDP","name":"b"}],"sessionAffinity":"ClientIP"})",
       R"({"clusterIP":"None","selector":{"app":"web"},"ports":[{"port":80}]})",
       R"({"type":"ExternalName","externalName":"a.example"})",
       R"({"type":"NodePort","ports":[{"port":80}]})",
       R"({"type":"LoadBalancer","ports":[{"port":443}]})"});
}

// The members after "metadata" in an object of the kind, from the second comma on.
std::string Content(const std::string& kind, const std::string& name, Dice& dice) {
  if (kind == "ConfigMap") {
    return dice.Of({R"("data":{"a":"1","b":"2"})", R"("data":{"a":"1"},"binaryData":{"c":"eHg="})",
                    R"("data":{})", R"("data":{"a":"3"},"immutable":false)",
                    R"("data":{"a":"4"},"immutable":true)"});
  }
  if (kind == "Secret") {
    return dice.Of(
        {R"("data":{"a":"eA=="})", R"("stringData":{"a":"x"},"type":"Opaque")",
         R"("type":"kubernetes.io/tls","data":{"tls.crt":"","tls.key":""})",
         R"("type":"kubernetes.io/basic-auth","stringData":{"username":"u"})",
         R"("type":"kubernetes.io/dockerconfigjson","data":{".dockerconfigjson":"e30="})",
         R"("data":{"a":"eA=="},"immutable":true)"});
  }
  if (kind == "Service") return "\"spec\":" + ServiceSpec(dice);
  if (kind == "ServiceAccount") {
    return dice.Of({R"("secrets":[{"name":"s"}])", R"("automountServiceAccountToken":false)",
                    R"("imagePullSecrets":[{"name":"p"}])"});
  }
  if (kind == "Pod") return "\"spec\":" + PodSpec(dice);
  if (kind == "Deployment") return "\"spec\":" + DeploymentSpec(dice);
  if (kind == "ReplicaSet") return "\"spec\":" + ReplicaSetSpec(dice);
  if (kind == "Lease") {
    return dice.Of({R"("spec":{"holderIdentity":"me","leaseDurationSeconds":15,)"
                    R"("acquireTime":"2020-01-01T00:00:00.000000Z",)"
                    R"("renewTime":"2020-01-01T00:00:00.500000Z","leaseTransitions":1})",
                    R"("spec":{})", R"("spec":{"leaseDurationSeconds":0})"});
  }
  if (kind == "Event") {
    return R"("involvedObject":{"kind":"Pod","namespace":"diff-a","name":")" + name +
           R"("},"reason":"Test","message":"m","type":")" + dice.Of({"Normal", "Warning"}) +
           R"(","source":{"component":"t"},"count":1,"firstTimestamp":"2020-01-01T00:00:00Z")";
  }
  if (kind == "NewEvent") {
    return R"("regarding":{"kind":"Pod","namespace":"diff-a","name":")" + name +
           R"("},"reason":"Test","note":"m","action":"Act","type":"Normal",)"
           R"("eventTime":"2020-01-01T00:00:00.000000Z","reportingController":"a.example/t",)"
           R"("reportingInstance":"i")";
  }
  if (kind == "Node") {
    return dice.Of(
        {R"("spec":{"podCIDR":"10.1.0.0/24"})", R"("spec":{})",
         R"("spec":{"taints":[{"key":"a","effect":"NoSchedule"}],"unschedulable":true})"});
  }
  if (kind == "Namespace") return R"("spec":{})";
  if (kind == "Widget") {
    return dice.Of({R"("spec":{"size":1,"color":"red"})", R"("spec":{})",
                    R"("spec":{"size":3,"tags":["a","b"],"ports":[{"name":"x","port":1}]})",
                    R"("spec":{"size":101})", R"("spec":{"color":"mauve"})",
                    R"("spec":{"extra":{"any":[1,{"b":null}]},"unknown":1})",
                    R"("spec":{"size":"1"})", R"("spec":{"tags":["a","a"]})",
                    R"("spec":{"ports":[{"port":1}]})", R"("status":{"replicas":1},"spec":{})"});
  }
  throw std::logic_error("no sample of " + kind);
}

std::string OwnKind(const SampleKind& kind) {
  return kind.resource == "events" && kind.api_version != "v1" ? "NewEvent" : kind.kind;
}

// Merge patches of "spec" and similar members, by kind.
std::string SpecPatch(const std::string& kind, Dice& dice) {
  if (kind == "ConfigMap") {
    return dice.Of({R"({"data":{"a":"9"}})", R"({"data":{"a":null}})", R"({"data":null})",
                    R"({"data":{"a":1}})", R"({"data":{"bad key":"x"}})", R"({"immutable":true})",
                    R"({"immutable":false})", R"({"data":{"c":"x"}})"});
  }
  if (kind == "Secret") {
    return dice.Of({R"({"stringData":{"b":"y"}})", R"({"data":{"a":"eQ=="}})",
                    R"({"data":{"a":"!"}})", R"({"type":"example/other"})",
                    R"({"immutable":true})"});
  }
  if (kind == "Service") {
    return dice.Of(
        {R"({"spec":{"ports":[{"port":8080}]}})", R"({"spec":{"ports":null}})",
         R"({"spec":{"ports":[{"port":80},{"port":80}]}})", R"({"spec":{"type":"X"}})",
         R"({"spec":{"selector":{"app":"new"}}})", R"({"spec":{"clusterIP":"10.0.0.77"}})",
         R"({"spec":{"sessionAffinity":"ClientIP"}})", R"({"spec":{"ports":[{"port":0}]}})",
         R"({"spec":{"type":"ExternalName"}})", R"({"spec":{"type":"NodePort"}})"});
  }
  if (kind == "ServiceAccount") {
    return dice.Of({R"({"secrets":[{"name":"t"}]})", R"({"automountServiceAccountToken":true})"});
  }
  if (kind == "Pod") {
    return dice.Of({R"({"spec":{"containers":[{"name":"main","image":"nginx:2"}]}})",
                    R"({"spec":{"containers":[{"name":"new","image":"nginx:2"}]}})",
                    R"({"spec":{"nodeName":"alpha"}})", R"({"spec":{"restartPolicy":"Never"}})",
                    R"({"spec":{"activeDeadlineSeconds":9}})",
                    R"({"spec":{"terminationGracePeriodSeconds":1}})",
                    R"({"spec":{"tolerations":[{"key":"b","operator":"Exists"}]}})",
                    R"({"spec":{"containers":[{"name":"main","$patch":"delete"}]}})"});
  }
  if (kind == "Deployment" || kind == "ReplicaSet") {
    return dice.Of(
        {R"({"spec":{"replicas":2}})",
         R"({"spec":{"replicas":-1}})",
         R"({"spec":{"replicas":"x"}})",
         R"({"spec":{"replicas":null}})",
         R"({"spec":{"selector":{"matchLabels":{"app":"x"}}}})",
         R"({"spec":{"template":{"spec":{"containers":[{"name":"main","image":"nginx:3"}]}}}})",
         R"({"spec":{"template":{"metadata":{"annotations":{"at":"now"}}}}})",
         R"({"spec":{"template":{"metadata":{"labels":{"app":"x"}}}}})",
         R"({"spec":{"template":{"spec":{"containers":[{"name":"new","image":"n"}]}}}})",
         R"({"spec":{"template":{"spec":{"containers":[{"name":"main","env":[{"name":"A","value":"2"},)"
         R"({"name":"C","value":"3"}]}]}}}})",
         R"({"spec":{"template":{"spec":{"containers":[{"name":"main","ports":[{"containerPort":81}]}]}}}})",
         R"({"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}})",
         R"({"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"side"},)"
         R"({"name":"main"}],"containers":[{"name":"side","image":"s:2"}]}}}})",
         R"({"spec":{"template":{"spec":{"containers":[{"image":"noname"}]}}}})",
         R"({"spec":{"template":{"spec":{"volumes":[{"name":"w","emptyDir":{}}]}}}})",
         R"({"spec":{"template":{"spec":{"volumes":[{"name":"v","emptyDir":null,)"
         R"("configMap":{"name":"c"}}]}}}})",
         R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}})",
         R"({"spec":{"strategy":{"type":"Recreate"}}})",
         R"({"spec":{"minReadySeconds":-3}})",
         R"({"spec":{"paused":true}})",
         R"({"spec":{"template":{"$patch":"replace"}}})"});
  }
  if (kind == "Lease") {
    return dice.Of({R"({"spec":{"holderIdentity":"you"}})", R"({"spec":{"holderIdentity":""}})",
                    R"({"spec":{"renewTime":"2020-02-02T00:00:00Z"}})",
                    R"({"spec":{"renewTime":"yesterday"}})",
                    R"({"spec":{"leaseTransitions":-1}})"});
  }
  if (kind == "Event") return dice.Of({R"({"count":2})", R"({"message":"n"})", R"({"reason":1})"});
  if (kind == "NewEvent") {
    return dice.Of({R"({"series":{"count":2,"lastObservedTime":"2020-01-01T00:00:01.000000Z"}})",
                    R"({"note":"changed"})"});
  }
  if (kind == "Node") {
    return dice.Of({R"({"spec":{"unschedulable":true}})", R"({"spec":{"unschedulable":null}})",
                    R"({"spec":{"podCIDR":"10.9.0.0/24"}})",
                    R"({"spec":{"taints":[{"key":"b","effect":"X"}]}})",
                    R"({"status":{"capacity":{"cpu":"1"}}})"});
  }
  if (kind == "Namespace") return dice.Of({R"({"spec":{"finalizers":[]}})", R"({"spec":null})"});
  if (kind == "Widget") {
    return dice.Of({R"({"spec":{"size":7}})", R"({"spec":{"size":-1}})",
                    R"({"spec":{"color":"blue"}})", R"({"spec":{"tags":["z"]}})",
                    R"({"spec":{"size":null}})", R"({"spec":{"ports":[{"name":"x","port":2}]}})",
                    R"({"spec":{"nope":1}})", R"({"spec":[]})", R"({"status":{"replicas":4}})",
                    R"({"spec":{"extra":{"k":1}}})"});
  }
  throw std::logic_error("no patch of " + kind);
}

}  // namespace

std::string SampleKind::Root() const {
  return (api_version == "v1" ? "/api/" : "/apis/") + api_version;
}

const std::vector<SampleKind>& SampleKinds() {
  static const std::vector<SampleKind> kinds = {
      {"v1", "configmaps", "ConfigMap", true, false, false, 5},
      {"v1", "secrets", "Secret", true, false, false, 2},
      {"v1", "services", "Service", true, true, false, 3},
      {"v1", "serviceaccounts", "ServiceAccount", true, false, false, 1},
      {"v1", "pods", "Pod", true, true, false, 6},
      {"apps/v1", "deployments", "Deployment", true, true, true, 6},
      {"apps/v1", "replicasets", "ReplicaSet", true, true, true, 4},
      {"coordination.k8s.io/v1", "leases", "Lease", true, false, false, 2},
      {"v1", "events", "Event", true, false, false, 1},
      {"events.k8s.io/v1", "events", "Event", true, false, false, 1},
      {"v1", "nodes", "Node", false, true, false, 2},
      {"v1", "namespaces", "Namespace", false, true, false, 1},
      {"diff.capstan.dev/v1", "widgets", "Widget", true, true, true, 5},
  };
  return kinds;
}

const SampleKind& KindOf(std::string_view resource) {
  for (const SampleKind& kind : SampleKinds()) {
    if (kind.resource == resource) return kind;
  }
  throw std::logic_error("no sample of " + std::string(resource));
}

json::Value WidgetDefinition() {
  return Parsed(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"widgets.diff.capstan.dev"},
    "spec":{"group":"diff.capstan.dev","scope":"Namespaced",
      "names":{"plural":"widgets","singular":"widget","kind":"Widget","shortNames":["wd"]},
      "versions":[{"name":"v1","served":true,"storage":true,
        "subresources":{"status":{},"scale":{"specReplicasPath":".spec.size",
                                             "statusReplicasPath":".status.replicas"}},
        "additionalPrinterColumns":[{"name":"Size","type":"integer","jsonPath":".spec.size"}],
        "schema":{"openAPIV3Schema":{"type":"object","properties":{
          "spec":{"type":"object","properties":{
            "size":{"type":"integer","minimum":0,"maximum":100,"default":3},
            "color":{"type":"string","enum":["red","blue"]},
            "tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
            "ports":{"type":"array","x-kubernetes-list-type":"map",
                     "x-kubernetes-list-map-keys":["name"],
                     "items":{"type":"object","required":["name"],"properties":{
                       "name":{"type":"string"},"port":{"type":"integer"}}}},
            "extra":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}},
          "status":{"type":"object","properties":{
            "replicas":{"type":"integer"},"note":{"type":"string"}}}}}}}]}})");
}

json::Value SampleObject(const SampleKind& kind, const std::string& name, Dice& dice) {
  std::string metadata = R"({"name":")" + name + R"(","labels":)" + Labels(dice);
  if (dice.Percent(20)) metadata += R"(,"annotations":{"note":"x"})";
  if (dice.Percent(8)) metadata += R"(,"finalizers":["diff.capstan.dev/hold"])";
  return Parsed(R"({"apiVersion":")" + kind.api_version + R"(","kind":")" + kind.kind +
                R"(","metadata":)" + metadata + "}," + Content(OwnKind(kind), name, dice) + "}");
}

std::string SamplePatch(const SampleKind& kind, const std::string& object, Dice& dice) {
  if (dice.Percent(55)) return SpecPatch(OwnKind(kind), dice);
  return dice.Of(
      {R"({"metadata":{"labels":{"tier":"mid"}}})",
       R"({"metadata":{"labels":{"app":null}}})",
       R"({"metadata":{"labels":null}})",
       R"({"metadata":{"annotations":{"a":"b"}}})",
       R"({"metadata":{"finalizers":null}})",
       R"({"metadata":{"finalizers":["diff.capstan.dev/hold"]}})",
       R"({"metadata":{"finalizers":["bad"]}})",
       R"({"metadata":{"labels":{"a b":"c"}}})",
       R"({"metadata":{"labels":{"a":"c d"}}})",
       R"({"metadata":{"name":"other"}})",
       R"({"metadata":{"uid":"00000000-0000-0000-0000-000000000000"}})",
       R"({"metadata":{"resourceVersion":"1"}})",
       R"({"metadata":{"namespace":"diff-b"}})",
       R"({"metadata":{"generation":77}})",
       R"({"kind":"Other"})",
       R"({})",
       R"({"apiVersion":"v9"})",
       R"({"metadata":null})",
       R"([])",
       R"("x")",
       R"({"a":)",
       R"({"metadata":{"creationTimestamp":null}})",
       R"({"bogus":1})",
       "",
       R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"x"}]}})",
       R"({"metadata":{"deletionTimestamp":"2020-01-01T00:00:00Z"}})",
       R"({"metadata":{"labels":{"old":"1"},"resourceVersion":"{{rv )" + object + R"(}}"}})",
       R"({"metadata":{"labels":{"old":"2"},"resourceVersion":"{{old )" + object + R"(}}"}})"});
}

std::string SampleJsonPatch(const SampleKind& kind, Dice& dice) {
  if (kind.scale && dice.Percent(30)) {
    const std::string path = kind.kind == "Widget" ? "/spec/size" : "/spec/replicas";
    const std::string replace = R"([{"op":"replace","path":")" + path + R"(","value":)";
    return dice.Of({replace + "4}]", replace + "\"4\"}]",
                    R"([{"op":"test","path":")" + path + R"(","value":3}])",
                    R"([{"op":"remove","path":")" + path + R"("}])"});
  }
  return dice.Of(
      {R"([{"op":"add","path":"/metadata/labels/x","value":"y"}])",
       R"([{"op":"remove","path":"/metadata/labels/app"}])",
       R"([{"op":"replace","path":"/metadata/labels/app","value":"new"}])",
       R"([{"op":"test","path":"/metadata/labels/app","value":"web"},)"
       R"({"op":"add","path":"/metadata/annotations","value":{"t":"1"}}])",
       R"([{"op":"add","path":"/metadata/annotations/a~1b","value":"c"}])",
       R"([{"op":"copy","from":"/metadata/labels/app","path":"/metadata/labels/copy"}])",
       R"([{"op":"move","from":"/metadata/labels/tier","path":"/metadata/labels/level"}])",
       R"([{"op":"add","path":"/no/such/path","value":1}])",
       R"([{"op":"jump","path":"/metadata"}])",
       R"([{"path":"/metadata"}])",
       R"({"op":"add"})",
       R"([])",
       R"([{"op":"remove","path":""}])",
       R"([{"op":"replace","path":"","value":{}}])",
       R"([1])",
       R"([{"op":"add","path":)",
       R"([{"op":"add","path":"/metadata/labels","value":[]}])",
       R"([{"op":"replace","path":"/metadata/name","value":"other"}])",
       R"([{"op":"add","path":"/bogus","value":true}])",
       R"([{"op":"remove","path":"/metadata/finalizers"}])",
       R"([{"op":"add","path":"/spec/template/spec/containers/-","value":{"name":"j","image":"i"}}])",
       R"([{"op":"remove","path":"/spec/template/spec/containers/7"}])",
       R"([{"op":"test","path":"/metadata/nothing","value":null}])",
       R"([{"op":"add","path":"metadata/labels","value":{}}])",
       "null"});
}

std::string SampleStatus(const SampleKind& kind, Dice& dice) {
  if (kind.kind == "Deployment") {
    return dice.Of({R"({"observedGeneration":1,"replicas":2,"updatedReplicas":1})",
                    R"({"replicas":-1})", R"({"readyReplicas":3,"replicas":1})",
                    R"({"conditions":[{"type":"Available","status":"True"}]})", R"({})",
                    R"({"observedGeneration":1,"replicas":"x"})"});
  }
  if (kind.kind == "ReplicaSet") {
    return dice.Of({R"({"replicas":2,"fullyLabeledReplicas":1})", R"({"replicas":-1})",
                    R"({"readyReplicas":2,"replicas":1})",
                    R"({"replicas":1,"observedGeneration":2})"});
  }
  if (kind.kind == "Pod") {
    return dice.Of(
        {R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}]})",
         R"({"phase":"Failed","reason":"Evicted","message":"m"})", R"({"phase":"Other"})",
         R"({"podIP":"10.2.0.1","podIPs":[{"ip":"10.2.0.1"}],"hostIP":"10.3.0.1"})",
         R"({"containerStatuses":[{"name":"main","image":"nginx","imageID":"","ready":true,)"
         R"("restartCount":1,"state":{"running":{"startedAt":"2020-01-01T00:00:00Z"}}}]})",
         R"({"podIP":"bad"})"});
  }
  if (kind.kind == "Node") {
    return dice.Of({R"({"capacity":{"cpu":"4","memory":"8Gi","pods":"110"}})",
                    R"({"conditions":[{"type":"Ready","status":"True","reason":"Ok"}]})",
                    R"({"capacity":{"cpu":"x"}})",
                    R"({"addresses":[{"type":"InternalIP","address":"10.0.0.9"}]})"});
  }
  if (kind.kind == "Service") {
    return dice.Of({R"({"loadBalancer":{"ingress":[{"ip":"10.9.9.9"}]}})", R"({"loadBalancer":{}})",
                    R"({"loadBalancer":{"ingress":[{"ip":"bad"}]}})"});
  }
  if (kind.kind == "Namespace") return dice.Of({R"({"phase":"Active"})", R"({"conditions":[]})"});
  return dice.Of({R"({"replicas":1})", R"({"note":"n","replicas":2})", R"({"replicas":"1"})",
                  R"({"note":1})", R"({})"});
}

json::Value Parsed(const std::string& text) {
  auto parsed = json::ParseValue(text);
  if (!parsed.ok()) throw std::logic_error(parsed.status().ToString() + " in " + text);
  return std::move(parsed->value);
}

}  // namespace capstan::differential
