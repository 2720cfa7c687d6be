// What users do with kinds that other controllers manage.

#include <string>

#include "kubectl_fixture.h"

namespace capstan::e2e {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr char kControllers[] = R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: main, image: "nginx:1"}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: main, image: "nginx:1"}]}
---
apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: third}
revision: 3
data: {spec: {}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "busybox:1"}]
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "@daily"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: main, image: "busybox:1"}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: guard}
spec: {minAvailable: 1, selector: {matchLabels: {app: db}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: scaler}
spec:
  maxReplicas: 5
  scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: db}
)";

constexpr char kSurroundings[] = R"(
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Endpoints
metadata: {name: manual}
subsets:
- addresses: [{ip: 10.1.0.1}]
  ports: [{port: 80}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: slice}
addressType: IPv4
endpoints: [{addresses: [10.1.0.1]}]
ports: [{port: 80}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot}
---
apiVersion: v1
kind: LimitRange
metadata: {name: sizes}
spec: {limits: [{type: Container, max: {cpu: "2"}}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  resources: {requests: {storage: 1Gi}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: budget}
spec: {hard: {count/widgets.example.dev: "4"}}
)";

// A certificate request for jane, in PEM and base64.
constexpr char kCertificateRequest[] =
    R"(LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQ1ZEQ0NBVHdDQVFBd0R6RU5NQXNH)"
    R"(QTFVRUF3d0VhbUZ1WlRDQ0FTSXdEUVlKS29aSWh2Y05BUUVCQlFBRApnZ0VQQURDQ0FRb0NnZ0VCQU1W)"
    R"(NE14YVQ1ZDhCVVhJUGtITnBZbkdyTHI0S2lzWUZJZEk4Vk9WTEYyV014S3hBCnRNeEo4bXZGSTlnR3Iz)"
    R"(THdPUGhyVVpybTZPWXpiT3E3RW43VldiNmU5WTZISXJxUEtUT3J4YlVNYnBiNTJWM1cKdGdrQ1VBbjRj)"
    R"(MWJ2R3JNTDAxelBMbDRlaXJaODRML1dmUHVxUXhHU3NDdVE0SmhxbjFhV2Z5RUpVQXA5ZjBoUgpRMENm)"
    R"(S2d4RDV5ZUVhKzRRdjl2cU1FNkprZWVDWVZhSkJRVmlsTUNqdkh2cFY1cDFQSUZkYkVFMXJyeEwxak9X)"
    R"(Cit6enFsV0h3R2tHVWRGVnM2Tm9rQnIyTDU1V0RiMXI2SE1NR0xjSGU0dmh0L3Bvd2h4blhXc2JYbmVE)"
    R"(K1hQTnkKMy9zRjEzSjRweU8wSm1ocENXWVpZNjhFdjR6NW1iaVVtbmIvVGI4Q0F3RUFBYUFBTUEwR0NT)"
    R"(cUdTSWIzRFFFQgpDd1VBQTRJQkFRQytMRitJVTFTaXNvT0dwUStpaG0wcFVmSkFnL20yWWdKL0xNSEZ4)"
    R"(czZmRCtiY2x4VmV2eit2Cmo5bm9RL3JOamtrckhuRkVwVmFCMWxLalVpR0ZJeUJxMUZ5c0oza2YyODdO)"
    R"(ajdocWF0YkpZNFR6M2tXQjNQdUYKc2I3VGNSVjdXcG1tTjQ2UnhrK2RGcHRrdDljak5OTlZVS2ZVZTBu)"
    R"(SC9NdEo1UUhBQjJJYlh6b1dVazQvcVB4dgpyazAyTXo2TVBTQk9XalhSMmhZMHdENUk3eUxaSVZQekhR)"
    R"(dXlFMmxZeVJ4aG9YNlJKMlhNQi9mZFBMa2xFQ1B2Cjl6cHRiUC9Qc2Z3NUN6MlBLR3gzbXZsQmkwUEZ0)"
    R"(dlB4U2pocE9MdUVJSjVuTktYNitmK3hhR2xib1IySWFseVkKZHNCRTV2ekhRUm9SUnpjVDQ1USsvUjRN)"
    R"(THRYY2crUEQKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==)";

TEST_P(Kubectl, CreatesAndShowsWorkloadKinds) {
  EXPECT_THAT(
      Run({"create", "-f", "-"}, kControllers),
      AllOf(HasSubstr("statefulset.apps/db created\n"), HasSubstr("daemonset.apps/agent created\n"),
            HasSubstr("controllerrevision.apps/third created\n"),
            HasSubstr("job.batch/once created\n"), HasSubstr("cronjob.batch/nightly created\n"),
            HasSubstr("poddisruptionbudget.policy/guard created\n"),
            HasSubstr("horizontalpodautoscaler.autoscaling/scaler created\n")));
  EXPECT_THAT(Run({"get", "statefulsets"}), ContainsRegex("NAME +READY +AGE\ndb +0/2 +[0-9]+s\n"));
  EXPECT_THAT(Run({"get", "sts", "-o", "wide"}),
              ContainsRegex("AGE +CONTAINERS +IMAGES\ndb .* main +nginx:1\n"));
  EXPECT_THAT(Run({"get", "ds"}),
              ContainsRegex("NAME +DESIRED +CURRENT +READY +UP-TO-DATE +AVAILABLE +NODE SELECTOR "
                            "+AGE\nagent +0 +0 +0 +0 +0 +<none> +[0-9]+s\n"));
  EXPECT_THAT(Run({"get", "ds", "-o", "wide"}),
              ContainsRegex("CONTAINERS +IMAGES +SELECTOR\nagent .* main +nginx:1 +app=agent\n"));
  EXPECT_THAT(Run({"get", "controllerrevisions"}),
              ContainsRegex("NAME +CONTROLLER +REVISION +AGE\nthird +<none> +3 +[0-9]+s\n"));
  EXPECT_THAT(Run({"get", "jobs"}),
              ContainsRegex("NAME +STATUS +COMPLETIONS +DURATION +AGE\nonce +Running +0/1 +"));
  EXPECT_THAT(Run({"get", "cronjobs"}),
              ContainsRegex("NAME +SCHEDULE +TIMEZONE +SUSPEND +ACTIVE +LAST SCHEDULE +AGE\n"
                            "nightly +@daily +<none> +False +0 +<none> +[0-9]+s\n"));
  EXPECT_THAT(Run({"get", "pdb"}),
              ContainsRegex("NAME +MIN AVAILABLE +MAX UNAVAILABLE +ALLOWED DISRUPTIONS +AGE\n"
                            "guard +1 +N/A +0 +[0-9]+s\n"));
  EXPECT_THAT(Run({"get", "hpa"}),
              ContainsRegex("NAME +REFERENCE +TARGETS +MINPODS +MAXPODS +REPLICAS +AGE\n"
                            "scaler +StatefulSet/db +cpu: <unknown>/80% +1 +5 +0 +[0-9]+s\n"));
}

TEST_P(Kubectl, DescribesWorkloadKinds) {
  Run({"create", "-f", "-"}, kControllers);
  EXPECT_THAT(Run({"describe", "statefulset", "db"}),
              ContainsRegex("Replicas: +2 desired \\| 0 total"));
  EXPECT_THAT(Run({"describe", "daemonset", "agent"}), ContainsRegex("Selector: +app=agent"));
  EXPECT_THAT(Run({"describe", "controllerrevision", "third"}), ContainsRegex("Revision: +3"));
  EXPECT_THAT(Run({"describe", "job", "once"}), ContainsRegex("Parallelism: +1"));
  EXPECT_THAT(Run({"describe", "cronjob", "nightly"}), ContainsRegex("Schedule: +@daily"));
  EXPECT_THAT(Run({"describe", "pdb", "guard"}), ContainsRegex("Min available: +1"));
  EXPECT_THAT(Run({"describe", "hpa", "scaler"}), ContainsRegex("Reference: +StatefulSet/db"));
}

TEST_P(Kubectl, GetsWorkloadKindsWithDefaults) {
  Run({"apply", "-f", "-"}, kControllers);
  EXPECT_EQ(Field("statefulset/db", ".spec.podManagementPolicy"), "OrderedReady");
  EXPECT_EQ(Field("statefulset/db", ".spec.updateStrategy.rollingUpdate.partition"), "0");
  EXPECT_EQ(Field("daemonset/agent", ".spec.updateStrategy.rollingUpdate.maxUnavailable"), "1");
  EXPECT_EQ(Field("job/once", ".spec.backoffLimit"), "6");
  EXPECT_EQ(Field("job/once", ".spec.template.metadata.labels.job-name"), "once");
  EXPECT_EQ(Field("cronjob/nightly", ".spec.concurrencyPolicy"), "Allow");
  EXPECT_EQ(Field("hpa/scaler", ".spec.metrics[0].resource.name"), "cpu");
  EXPECT_THAT(
      Run({"apply", "-f", "-"}, kControllers),
      AllOf(HasSubstr("statefulset.apps/db unchanged\n"), HasSubstr("job.batch/once unchanged\n"),
            HasSubstr("cronjob.batch/nightly unchanged\n")));
}

TEST_P(Kubectl, ScalesAStatefulSetAndWritesItsStatus) {
  Run({"create", "-f", "-"}, kControllers);
  EXPECT_EQ(Run({"scale", "statefulset", "db", "--replicas=3"}), "statefulset.apps/db scaled\n");
  EXPECT_EQ(Field("statefulset/db", ".spec.replicas"), "3");
  EXPECT_EQ(Field("statefulset/db", ".metadata.generation"), "2");
  EXPECT_EQ(Run({"patch", "statefulset", "db", "--subresource=status", "--type=merge", "-p",
                 R"({"status":{"replicas":2,"readyReplicas":1}})"}),
            "statefulset.apps/db patched\n");
  EXPECT_THAT(Run({"get", "statefulset", "db"}), ContainsRegex("\ndb +1/3 "));
  EXPECT_EQ(Field("statefulset/db", ".metadata.generation"), "2");
  EXPECT_THAT(
      Try({"patch", "statefulset", "db", "--type=merge", "-p", R"({"spec":{"serviceName":"x"}})"})
          .errors,
      HasSubstr("updates to statefulset spec for fields other than"));
}

TEST_P(Kubectl, CreatesShowsAndDescribesServicesConfigAndStorage) {
  EXPECT_THAT(Run({"create", "-f", "-"}, kSurroundings),
              AllOf(HasSubstr("endpoints/manual created\n"),
                    HasSubstr("endpointslice.discovery.k8s.io/slice created\n"),
                    HasSubstr("limitrange/sizes created\n"),
                    HasSubstr("persistentvolumeclaim/data created\n"),
                    HasSubstr("resourcequota/budget created\n")));
  EXPECT_THAT(Run({"get", "endpoints", "manual"}),
              ContainsRegex("NAME +ENDPOINTS +AGE\nmanual +10.1.0.1:80 +[0-9]+s\n"));
  EXPECT_THAT(
      Run({"get", "endpointslices", "slice"}),
      ContainsRegex("NAME +ADDRESSTYPE +PORTS +ENDPOINTS +AGE\nslice +IPv4 +80 +10.1.0.1 "));
  EXPECT_THAT(Run({"get", "limits"}), ContainsRegex("NAME +CREATED AT\nsizes +20"));
  EXPECT_THAT(Run({"get", "quota"}), ContainsRegex("NAME +REQUEST +LIMIT +AGE\nbudget +[0-9]+s\n"));
  EXPECT_THAT(
      Run({"get", "pvc"}),
      ContainsRegex("NAME +STATUS +VOLUME +CAPACITY +ACCESS MODES +STORAGECLASS "
                    "+VOLUMEATTRIBUTESCLASS +AGE\ndata +Pending +fast +<unset> +[0-9]+s\n"));
  EXPECT_EQ(Field("limits/sizes", ".spec.limits[0].default.cpu"), "2");
  EXPECT_THAT(Run({"describe", "service", "web"}), ContainsRegex("Selector: +app=web"));
  EXPECT_THAT(Run({"describe", "endpoints", "manual"}), HasSubstr("10.1.0.1"));
  EXPECT_THAT(Run({"describe", "endpointslice", "slice"}), ContainsRegex("AddressType: +IPv4"));
  EXPECT_THAT(Run({"describe", "serviceaccount", "robot"}), ContainsRegex("Name: +robot"));
  EXPECT_THAT(Run({"describe", "limits", "sizes"}), ContainsRegex("Container +cpu"));
  EXPECT_THAT(Run({"describe", "quota", "budget"}), ContainsRegex("Name: +budget"));
  EXPECT_THAT(Run({"describe", "pvc", "data"}), ContainsRegex("StorageClass: +fast"));
  // A claim is kept until a controller finds that it is unused, and no such controller runs here.
  Run({"patch", "pvc", "data", "--type=merge", "-p", R"({"metadata":{"finalizers":null}})"});
  EXPECT_THAT(Run({"delete", "pvc", "data"}), HasSubstr("persistentvolumeclaim \"data\" deleted"));
}

TEST_P(Kubectl, ApprovesACertificateSigningRequest) {
  const std::string name = world_->namespace_name() + "-jane";
  const std::string request =
      "apiVersion: certificates.k8s.io/v1\nkind: CertificateSigningRequest\nmetadata: {name: " +
      name + "}\nspec: {signerName: example.com/signer, usages: [client auth], request: " +
      kCertificateRequest + "}\n";
  Run({"create", "-f", "-"}, request);
  EXPECT_THAT(Run({"get", "csr", name}),
              ContainsRegex("NAME +AGE +SIGNERNAME +REQUESTOR +REQUESTEDDURATION +CONDITION\n" +
                            name + " +[0-9]+s +example.com/signer +[^ ]+ +<none> +Pending\n"));
  EXPECT_THAT(Run({"certificate", "approve", name}), HasSubstr(name + " approved\n"));
  EXPECT_THAT(Run({"get", "csr", name}), ContainsRegex("<none> +Approved\n"));
  EXPECT_THAT(Run({"describe", "csr", name}), HasSubstr("Approved"));
  EXPECT_NE(Try({"certificate", "deny", name}).exit_code, 0);
  Run({"delete", "csr", name});
}

TEST_P(Kubectl, ExplainsTheKindsOfOtherControllers) {
  EXPECT_THAT(Run({"explain", "statefulset.spec.podManagementPolicy"}),
              AllOf(HasSubstr("KIND:       StatefulSet\n"),
                    HasSubstr("FIELD: podManagementPolicy <string>")));
  EXPECT_THAT(Run({"explain", "daemonset.spec.updateStrategy"}),
              HasSubstr("rollingUpdate\t<RollingUpdateDaemonSet>"));
  EXPECT_THAT(Run({"explain", "hpa.spec.metrics"}), HasSubstr("FIELD: metrics <[]MetricSpec>"));
  EXPECT_THAT(Run({"explain", "cronjob.spec", "--recursive"}),
              HasSubstr("jobTemplate\t<JobTemplateSpec> -required-"));
  for (const char* kind : {"service", "endpoints", "endpointslice", "controllerrevision", "job",
                           "pdb", "quota", "limits", "serviceaccount", "pvc", "csr"}) {
    EXPECT_THAT(Run({"explain", kind}), HasSubstr("KIND: ")) << kind;
  }
}

}  // namespace
}  // namespace capstan::e2e
