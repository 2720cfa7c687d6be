#include "replay.h"

#include <capstan/log/log.h>
#include <capstan/plugin/hosted_plugin.h>
#include <capstan/testing/api_server.h>
#include <capstan/testing/simulated_runtime.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "reconcilers.h"
#include "reference.h"

namespace capstan::vectors {
namespace {

using api::apps::v1::Deployment;
using api::apps::v1::ReplicaSet;
using api::core::v1::Pod;
using json::Value;

constexpr std::string_view kEventLogged = "Event occurred";
constexpr int kEventVerbosity = 3;
constexpr size_t kLargestAnswer = size_t{64} * 1024 * 1024;

// The server's storage of a list of a State, and its path for new objects.
struct Storage {
  Objects State::*objects;
  const char* name;
  const char* path;
  const char* plural;
};
constexpr Storage kStorages[] = {
    {&State::deployments, "deployments.apps", "/apis/apps/v1/namespaces/", "/deployments"},
    {&State::replica_sets, "replicasets.apps", "/apis/apps/v1/namespaces/", "/replicasets"},
    {&State::pods, "pods", "/api/v1/namespaces/", "/pods"}};

// Records events as the reconcilers emit them. Written events are aggregated and filtered.
class EventLog final : public LogSink {
 public:
  EventLog() {
    ConfigureLogging({.format = LogFormat::kJson, .verbosity = kEventVerbosity});
    SetLogSink(this);
  }
  ~EventLog() override {
    SetLogSink(nullptr);
    ConfigureLogging({});
  }
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  void Write(std::string_view line) override {
    const auto parsed = json::ParseValue(std::string(line));
    if (!parsed || parsed->value.Get("msg").AsString() != kEventLogged) return;
    const Value& event = parsed->value;
    events_.push_back(event.Get("type").AsString() + " " + event.Get("reason").AsString() + " " +
                      event.Get("message").AsString());
  }
  std::vector<std::string> Take() { return std::exchange(events_, {}); }

 private:
  std::vector<std::string> events_;
};

int64_t VersionOf(const Value& object) {
  const std::string& text = object.Get("metadata", "resourceVersion").AsString();
  int64_t version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

// Whether more than the status changes.
bool ChangesMore(const Value& object, const Value& before) {
  return !(object.Get("metadata") == before.Get("metadata")) ||
         !(object.Get("spec") == before.Get("spec"));
}

template <ApiObject T>
Status FillCache(const Client& client, SharedInformerFactory& informers, size_t count) {
  auto listed = client.ListAll<T>("");
  if (!listed) return listed.status();
  if (listed->size() != count) return Status::Malformed("an object cannot be decoded");
  // The informers are not started, so nothing else changes the store.
  const_cast<Indexer&>(*informers.InformerFor<T>().indexer())
      .Replace(std::vector<ObjectPtr>(listed->begin(), listed->end()));
  return Status::Ok();
}

}  // namespace

struct Replay::Impl {
  struct Server {
    Server(Runtime& runtime, bool validates)
        : api(runtime, {.garbage_collection = false, .validation = validates}),
          transport(api.NewTransport()),
          client(transport, runtime, ClientOptions{.qps = 0}),
          empty(json::ParseValue(api.Save()).value().value) {}

    testing::ApiServer api;
    const std::shared_ptr<Transport> transport;
    const Client client;
    const Value empty;
  };

  Status Load(const State& before);
  Status Restore(const State& before);
  bool AcceptsAsItIs(const State& before);
  State Save() const;
  // `state` with all changes since `before` as the server would have stored them, with defaults.
  Result<State> Stored(const State& before, State state);
  // Creates the object, or updates the one at `path`, relative to the path of its kind.
  Result<Value> DryRun(const Storage& storage, const NamespacedName& name, Value object,
                       const std::string& path);
  Status Reconcile(const Vector& vector);

  testing::SimulatedRuntime runtime;
  Server validating{runtime, true};
  Server lenient{runtime, false};
  Server* server = &validating;  // the server for the current vector
  EventLog events;
};

// States are random. Writes to an invalid state would fail too, so it is loaded into a server
// without validation.
Status Replay::Impl::Load(const State& before) {
  server = &validating;
  Status restored = Restore(before);
  if (!restored.ok() || AcceptsAsItIs(before)) return restored;
  server = &lenient;
  return Restore(before);
}

bool Replay::Impl::AcceptsAsItIs(const State& before) {
  for (const Storage& storage : kStorages) {
    for (const auto& [name, object] : before.*storage.objects) {
      const std::string path = "/" + name.name;
      if (!DryRun(storage, name, object, path)) return false;
      if (!DryRun(storage, name, object, path + "/status")) return false;
    }
  }
  return true;
}

// Restores the objects unchanged, without validation.
Status Replay::Impl::Restore(const State& before) {
  Value saved = server->empty;
  int64_t newest = saved.Get("version").AsInteger();
  for (const Storage& storage : kStorages) {
    Value entries = Value::Array();
    for (const auto& [name, object] : before.*storage.objects) {
      newest = std::max(newest, VersionOf(object));
      entries.Append(
          Value::Object({{"namespace", name.namespace_}, {"name", name.name}, {"object", object}}));
    }
    saved.Mutable("storages", storage.name) = std::move(entries);
  }
  saved.Set("version", newest);
  return server->api.Restore(json::ToJson(saved));
}

State Replay::Impl::Save() const {
  State state;
  const Value saved = json::ParseValue(server->api.Save()).value().value;
  for (const Storage& storage : kStorages) {
    for (const Value& entry : saved.Get("storages", storage.name).items()) {
      (state.*storage.objects)[{entry.Get("namespace").AsString(), entry.Get("name").AsString()}] =
          entry.Get("object");
    }
  }
  return state;
}

Result<State> Replay::Impl::Stored(const State& before, State state) {
  for (const Storage& storage : kStorages) {
    const Objects& old = before.*storage.objects;
    for (auto& [name, object] : state.*storage.objects) {
      const auto present = old.find(name);
      if (present != old.end() && !ChangesMore(object, present->second)) continue;
      auto stored = DryRun(storage, name, object, present == old.end() ? "" : "/" + name.name);
      if (!stored) return stored.status().WithContext("the reference's " + name.ToString());
      if (present == old.end()) {
        object = *std::move(stored);
      } else {
        object.Set("spec", stored->Get("spec"));
      }
    }
  }
  return state;
}

Result<Value> Replay::Impl::DryRun(const Storage& storage, const NamespacedName& name, Value object,
                                   const std::string& path) {
  object.Mutable("metadata").Erase("resourceVersion");
  const HttpRequest request{
      .method = path.empty() ? "POST" : "PUT",
      .target = std::string(storage.path) + name.namespace_ + storage.plural + path + "?dryRun=All",
      .headers = {{"Content-Type", "application/json"}},
      .body = json::ToJson(object)};
  const auto answer = server->transport->RoundTrip(request, {});
  if (!answer) return answer.status();
  auto body = ReadAll(**answer, kLargestAnswer);
  if (!body) return body.status();
  auto parsed = json::ParseValue(*std::move(body));
  if (!parsed) return parsed.status();
  if ((*answer)->status() >= 300) {
    return Status::InvalidArgument(parsed->value.Get("message").AsString());
  }
  return std::move(parsed->value);
}

Status Replay::Impl::Reconcile(const Vector& vector) {
  const Client& client = server->client;
  SharedInformerFactory informers(client, runtime, Duration::zero());
  MetricsRegistry metrics;
  EventBroadcaster broadcaster(client, runtime, "", metrics);
  Scheme scheme;
  HostedPlugin plugin("vectors", {.client = client,
                                  .informers = informers,
                                  .events = broadcaster,
                                  .scheme = scheme,
                                  .runtime = runtime,
                                  .metrics = metrics});
  const State& before = vector.before;
  for (const Status& filled : {FillCache<Deployment>(client, informers, before.deployments.size()),
                               FillCache<ReplicaSet>(client, informers, before.replica_sets.size()),
                               FillCache<Pod>(client, informers, before.pods.size())}) {
    if (!filled.ok()) return filled.WithContext("cache");
  }
  const auto reconciler = NewReconciler(vector.controller, plugin.context());
  return reconciler->Reconcile(Request{.name = vector.key}).status();
}

Replay::Replay() : impl_(std::make_unique<Impl>()) {}

Replay::~Replay() = default;

Result<Replayed> Replay::Run(const Vector& vector) {
  impl_->runtime.SetWallTime(vector.now.ToWallTime());
  if (Status loaded = impl_->Load(vector.before); !loaded.ok()) return loaded;
  Outcome reference = ReferenceOutcome(vector);
  Result<State> theirs = impl_->Stored(vector.before, std::move(reference.after));
  if (!theirs) return theirs.status();
  impl_->events.Take();
  Replayed replayed;
  replayed.error = impl_->Reconcile(vector);
  replayed.ours = {.after = impl_->Save(), .events = impl_->events.Take()};
  replayed.theirs = {.after = *std::move(theirs), .events = std::move(reference.events)};
  return replayed;
}

}  // namespace capstan::vectors
