#include "apiserver/storage/watch.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "apiserver/codec/protobuf_encoder.h"
#include "apiserver/http/api_errors.h"
#include "apiserver/schema/conversion.h"
#include "base/text/ascii.h"

namespace capstan::testing::server {
namespace {

// The size at which a batch of events ends, in bytes.
constexpr size_t kBatch = size_t{64} * 1024;
// A last bookmark is sent this long before the end.
constexpr Duration kLastBookmark = std::chrono::seconds(2);
constexpr Duration kLongestTimeout = std::chrono::hours(24 * 365);

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

class WatchResponse : public HttpResponse {
 public:
  WatchResponse(const Store& store, Runtime& runtime, const ApiRequest& request,
                const ListOptions& options, const WatchSettings& settings, std::stop_token stop);

  // Determines where to begin. An error becomes an ERROR event.
  void Begin(uint64_t version);

  int status() const override { return 200; }
  std::string Header(std::string_view name) const override {
    return text::EqualIgnoringCase(name, "Content-Type") ? settings_.content_type : std::string();
  }
  Result<size_t> Read(char* buffer, size_t size) override;

 private:
  // Waits for the next events and appends them. Sets ended_ when the watch is over.
  void Fill();
  void FillInitial();
  void FillChanges(MonotonicTime now);
  void AppendChange(const Change& change);
  // `object` is in its stored form.
  void AppendObject(std::string_view type, const StoredObject& object);
  void AppendEvent(std::string_view type, const StoredObject& shown);
  // `object` is encoded.
  void AppendFrame(std::string_view type, std::string_view object);
  void AppendBookmark(bool initial_events_end);
  void Fail(const Status& status);
  void ScheduleBookmark(MonotonicTime now);

  const Store& store_;
  Runtime& runtime_;
  const Resource& resource_;
  const std::string namespace_;
  const ListOptions options_;
  const WatchSettings settings_;
  const std::stop_token stop_;
  const int64_t epoch_;
  const MonotonicTime deadline_;
  MonotonicTime next_bookmark_ = MonotonicTime::max();

  std::vector<StoredObjectPtr> initial_;
  size_t initial_sent_ = 0;
  bool announce_initial_end_ = false;
  int64_t position_ = 0;
  std::string pending_;
  size_t sent_ = 0;  // bytes of pending_ already sent
  bool ended_ = false;

  // Both stop tokens end the wait for changes.
  std::stop_source wake_;
  using Waker = std::stop_callback<std::function<void()>>;
  Waker on_stop_;
  Waker on_close_;
};

Duration TimeoutOf(Runtime& runtime, const ListOptions& options, const WatchSettings& settings) {
  if (const int64_t asked = options.timeout_seconds.value_or(0); asked != 0) {
    const int64_t most = std::chrono::duration_cast<std::chrono::seconds>(kLongestTimeout).count();
    return std::chrono::seconds(std::clamp<int64_t>(asked, 0, most));
  }
  return runtime.Jitter(settings.default_timeout, 1.0);
}

WatchResponse::WatchResponse(const Store& store, Runtime& runtime, const ApiRequest& request,
                             const ListOptions& options, const WatchSettings& settings,
                             std::stop_token stop)
    : store_(store),
      runtime_(runtime),
      resource_(*request.resource),
      namespace_(request.namespace_),
      options_(options),
      settings_(settings),
      stop_(std::move(stop)),
      epoch_(store.Epoch()),
      deadline_(runtime.Now() + TimeoutOf(runtime, options, settings)),
      on_stop_(stop_, [this] { wake_.request_stop(); }),
      on_close_(settings_.close, [this] { wake_.request_stop(); }) {
  if (options_.allow_bookmarks) ScheduleBookmark(runtime.Now());
}

void WatchResponse::Begin(uint64_t version) {
  if (options_.send_initial_events.value_or(false)) {
    Snapshot snapshot = store_.List(resource_.storage, namespace_);
    position_ = snapshot.version;
    if (version > static_cast<uint64_t>(position_)) {
      Fail(TooLargeVersionError(version, position_));
      return;
    }
    initial_ = std::move(snapshot.objects);
    announce_initial_end_ = options_.allow_bookmarks;
    return;
  }
  if (version == 0) {
    position_ = store_.Version();
    return;
  }
  constexpr auto kLargest = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  position_ = static_cast<int64_t>(std::min(version, kLargest));
  if (const int64_t oldest = store_.OldestVersion(resource_.storage); position_ < oldest) {
    Fail(ExpiredError("too old resource version: " + std::to_string(version) + " (" +
                      std::to_string(oldest) + ")"));
  }
}

Result<size_t> WatchResponse::Read(char* buffer, size_t size) {
  if (size == 0) return size_t{0};
  while (sent_ == pending_.size()) {
    pending_.clear();
    sent_ = 0;
    if (stop_.stop_requested()) return Status::Canceled();
    if (ended_) return size_t{0};
    Fill();
  }
  const size_t count = std::min(size, pending_.size() - sent_);
  std::copy_n(pending_.data() + sent_, count, buffer);
  sent_ += count;
  return count;
}

void WatchResponse::Fill() {
  if (settings_.close.stop_requested()) {
    ended_ = true;
  } else if (initial_sent_ < initial_.size() || announce_initial_end_) {
    FillInitial();
  } else {
    FillChanges(runtime_.Now());
  }
}

void WatchResponse::FillInitial() {
  while (initial_sent_ < initial_.size() && pending_.size() < kBatch) {
    const StoredObjectPtr object = std::move(initial_[initial_sent_++]);
    if (options_.filter.Matches(object->value())) AppendObject("ADDED", *object);
  }
  if (initial_sent_ < initial_.size()) return;
  initial_.clear();
  initial_sent_ = 0;
  if (std::exchange(announce_initial_end_, false)) AppendBookmark(true);
}

void WatchResponse::FillChanges(MonotonicTime now) {
  if (now >= deadline_) {
    ended_ = true;
    return;
  }
  if (now >= next_bookmark_) {
    AppendBookmark(false);
    ScheduleBookmark(now);
    return;
  }
  int64_t upto = position_;
  auto changes = store_.Changes(resource_.storage, position_, std::min(deadline_, next_bookmark_),
                                wake_.get_token(), upto, epoch_);
  if (!changes.ok()) {
    Fail(changes.status());
    return;
  }
  for (const Change& change : *changes) AppendChange(change);
  position_ = upto;
}

void WatchResponse::AppendChange(const Change& change) {
  if (!namespace_.empty() && change.name.namespace_ != namespace_) return;
  const ObjectFilter& filter = options_.filter;
  const bool all = filter.MatchesAll();
  const bool before = change.previous && (all || filter.Matches(change.previous->value()));
  const bool after =
      change.type != Change::Type::kDeleted && (all || filter.Matches(change.object->value()));
  if (after) {
    AppendObject(before ? "MODIFIED" : "ADDED", *change.object);
  } else if (before && change.type == Change::Type::kDeleted) {
    AppendObject("DELETED", *change.object);
  } else if (before) {
    // The object no longer matches: send its previous state with the version of this change.
    json::Value last = change.previous->value();
    last.Mutable("metadata", "resourceVersion") = std::to_string(change.version);
    AppendObject("DELETED", StoredObject(std::move(last), change.version));
  }
}

void WatchResponse::AppendObject(std::string_view type, const StoredObject& object) {
  if (IsConverted(resource_)) {
    const StoredObject shown(FromStored(resource_, object.value()), object.version());
    AppendEvent(type, shown);
  } else {
    AppendEvent(type, object);
  }
}

void WatchResponse::AppendEvent(std::string_view type, const StoredObject& shown) {
  if (settings_.print)
    AppendFrame(type, settings_.print(shown));
  else
    AppendFrame(type, shown.text());
}

void WatchResponse::AppendFrame(std::string_view type, std::string_view object) {
  if (settings_.protobuf) {
    pending_ += ProtobufEvent(type, object);
    return;
  }
  pending_ += R"({"type":")";
  pending_ += type;
  pending_ += R"(","object":)";
  pending_ += object;
  pending_ += "}\n";
}

void WatchResponse::AppendBookmark(bool initial_events_end) {
  json::Value bookmark =
      json::Value::Object({{"apiVersion", resource_.ApiVersion()}, {"kind", resource_.kind}});
  bookmark.Mutable("metadata", "resourceVersion") = std::to_string(position_);
  if (initial_events_end) {
    bookmark.Mutable("metadata", "annotations", kInitialEventsEnd) = "true";
  }
  AppendEvent("BOOKMARK", StoredObject(std::move(bookmark), position_));
}

void WatchResponse::Fail(const Status& status) {
  const json::Value object = StatusObject(status);
  AppendFrame("ERROR", settings_.protobuf ? *ProtobufOf(object) : json::ToJson(object));
  initial_.clear();
  announce_initial_end_ = false;
  ended_ = true;
}

// Schedules a bookmark once per period, and once shortly before the end.
void WatchResponse::ScheduleBookmark(MonotonicTime now) {
  next_bookmark_ = now + settings_.bookmark_period;
  const MonotonicTime last = deadline_ - kLastBookmark;
  if (last > now) next_bookmark_ = std::min(next_bookmark_, last);
}

}  // namespace

Result<std::unique_ptr<HttpResponse>> OpenWatch(const Store& store, Runtime& runtime,
                                                const ApiRequest& request,
                                                const WatchSettings& settings,
                                                std::stop_token stop) {
  auto options = ListOptions::Of(request);
  if (!options.ok()) return options.status();
  const auto version = options->Version();
  if (!version.ok()) return UnknownError(version.status().message());
  auto response =
      std::make_unique<WatchResponse>(store, runtime, request, *options, settings, std::move(stop));
  response->Begin(*version);
  return std::unique_ptr<HttpResponse>(std::move(response));
}

}  // namespace capstan::testing::server
