#pragma once

/// Client: typed calls to an API server.
///
/// Writes are creates, patches and deletes. There is deliberately no update by PUT: typed structs
/// are projections, and a PUT would delete the fields that they omit.
///
/// Each call is rate limited and honours Retry-After. The client retries requests where that is
/// safe. It retries requests that are refused with 429, or with 5xx and Retry-After, up to ten
/// times, as client-go does. It retries a GET whose connection failed a few times within a second.
///
/// A client and its copies (WithUserAgent, WithStop, ...) share one rate limit. When requests wait
/// for it, the user agents take turns, so that each gets its share. Every fourth turn goes to the
/// request that has waited longest. Requests that must not wait for others, such as lease renewals
/// and health probes of the server, need a separately constructed Client, which has a separate rate
/// limit. Requests that can wait for all others, such as events, are sent by a client
/// InBackground().
///
/// For a type with ResourceInfo::metadata_only, the client requests only the metadata in reads, in
/// watches and in the responses to writes. A server that supports only whole objects sends those.
///
/// Objects are requested in the protobuf encoding if all fields to decode have protobuf numbers
/// (CAPSTAN_FIELD) and none is raw JSON. Otherwise, and from a server that does not send protobuf,
/// they are read as JSON. The bodies of requests are JSON.
///
/// A successful response that cannot be read is a Malformed or Transport error. A write may then
/// have taken effect (IsAmbiguous()).
///
/// Metrics: rest_client_*, as in client-go. capstan_malformed_objects_total{resource} counts
/// objects in lists and watches that do not decode. With an adaptive rate (max_qps),
/// capstan_client_rate_limit{host} is the current rate, and
/// capstan_client_throttled_total{host,reason} counts how often the rate was lowered because the
/// server refused requests or was slow.
///
/// Threads: all methods may be called from any thread. Copies share one connection pool.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/api/object.h>
#include <capstan/client/transport.h>
#include <capstan/client/write_fence.h>
#include <capstan/client/write_observer.h>
#include <capstan/export.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

namespace capstan {

enum class PatchType : uint8_t { kMerge, kStrategicMerge, kJson };
enum class PropagationPolicy : uint8_t { kDefault, kBackground, kForeground, kOrphan };

/// The cause (Status::HasCause) of a refused creation in a namespace that is being deleted. Nothing
/// can be created in that namespace any more, and the object that needs the creation is deleted
/// too.
inline constexpr std::string_view kNamespaceTerminating = "NamespaceTerminating";

struct ListOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};        ///< "" = consistent read
  std::string resource_version_match = {};  ///< "", "Exact" or "NotOlderThan"
  std::string continue_token = {};
  int64_t limit = 0;     ///< 0 = all objects in one response
  FieldSet fields = {};  ///< the fields to decode
};

struct WatchOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};
  bool allow_bookmarks = true;
  /// The watch begins with an ADDED event for each object that exists, at a state that is not older
  /// than `resource_version` ("" = a consistent read), and a bookmark with `initial_events_end`. A
  /// server before 1.27, or with its feature gate off, refuses this (Invalid, BadRequest). The
  /// client repeats this refusal for ten minutes, by API group, without a request.
  /// https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
  bool send_initial_events = false;
  std::optional<Duration> timeout = {};  ///< the server ends the watch after it (timeoutSeconds)
  FieldSet fields = {};                  ///< the fields to decode
};

struct DeleteOptions {
  std::optional<Uid> uid = {};                       ///< precondition
  std::optional<std::string> resource_version = {};  ///< precondition
  PropagationPolicy propagation = PropagationPolicy::kDefault;
  std::optional<int64_t> grace_period_seconds = {};
};

struct ObjectList {
  std::string resource_version;
  std::string continue_token;  ///< "" on the last page
  std::vector<ObjectPtr> items;
  /// The names of the items that did not decode, as far as they could be read. The client reports
  /// these items and leaves them out of `items`.
  std::vector<NamespacedName> malformed = {};
};

struct WatchEvent {
  enum class Type : uint8_t { kAdded, kModified, kDeleted, kBookmark };
  Type type = Type::kAdded;
  ObjectPtr object;              ///< null for bookmarks, and if `name` is set
  std::string resource_version;  ///< of the object or bookmark
  /// Set if the object does not decode, for a deletion, and for any event before the end of the
  /// initial events. Other events with such an object are left out.
  NamespacedName name = {};
  bool initial_events_end = false;  ///< a bookmark: the initial events are complete
};

/// An open watch. Used by one thread. The destructor closes the watch.
class CAPSTAN_EXPORT WatchStream {
 public:
  virtual ~WatchStream();
  /// Waits for the next event. Returns nullopt when the server ends the watch normally. Returns an
  /// ERROR event as its Status (IsGone() requires a relist). Reports and skips objects that do not
  /// decode. Do not use the stream after an error.
  virtual Result<std::optional<WatchEvent>> Next() = 0;
};

struct ClientOptions {
  double qps = 20;  ///< <= 0: no limit
  int burst = 30;
  /// If greater than qps, the rate adapts to the server. It grows up to max_qps while requests wait
  /// for it and the server is fast. It shrinks when the server responds with 429 or slows down. It
  /// can go below qps, but not below 5, or qps if that is less. The burst grows and shrinks with
  /// it. 0 = the rate is fixed.
  double max_qps = 0;
  std::string user_agent = {};                  ///< "" = DefaultUserAgent()
  Duration timeout = std::chrono::seconds(30);  ///< for each request except watches
  std::string host = {};  ///< "host:port" of the server, used as a metric label
  bool protobuf = true;   ///< ask for protobuf where objects can be decoded from it
};

class CAPSTAN_EXPORT Client {
 public:
  Client(std::shared_ptr<Transport> transport, Runtime& runtime, ClientOptions options = {});
  ~Client();
  Client(const Client&);
  Client& operator=(const Client&);

  /// Returns a client whose calls end with Canceled when `stop` is triggered. `stop` replaces an
  /// earlier token.
  Client WithStop(std::stop_token stop) const;
  /// Returns a client that identifies itself as `component` (User-Agent).
  Client WithUserAgent(std::string_view component) const;
  /// Returns a client that notifies `observer` of its writes; the observer may refuse them.
  /// `observer` replaces an earlier one.
  Client WithWriteObserver(std::shared_ptr<WriteObserver> observer) const;
  /// Returns a client that writes only while `fence` permits it. `fence` replaces an earlier one. A
  /// write that may not be sent (any more) ends with Canceled and has no effect. A write that is in
  /// progress when the term ends is abandoned, and its outcome is ambiguous.
  Client WithWriteFence(std::shared_ptr<const WriteFence> fence) const;

  /// Returns a client for requests that can wait, such as events. Its requests other than watches
  /// come after those of the client's other copies, as follows:
  /// - While others are in progress (they wait for the rate limit, for a response or for a retry),
  ///   or were within the last 50 ms, requests of the background are sent one at a time and take at
  ///   most a tenth of the rate. Without a rate limit they pause for nine times as long as one
  ///   takes, but for no more than a second.
  /// - Otherwise they have the whole rate, and are sent several at a time after a second. They
  ///   leave half of the burst.
  /// They never end because of that; `stop` and the fence end them while they wait.
  Client InBackground() const;
  /// Returns a client with a transport, for example with other credentials, and a rate limit of its
  /// own. Requests of the background come after those of this client and of the returned one.
  Client WithTransport(std::shared_ptr<Transport> transport) const;

  // The core, over type descriptors. `type` must be a resource.
  Result<ObjectPtr> Get(const TypeDescriptor& type, const NamespacedName& name) const;
  /// Returns one page. A `namespace_` of "" lists all namespaces.
  Result<ObjectList> List(const TypeDescriptor& type, std::string_view namespace_,
                          const ListOptions& options) const;
  Result<std::unique_ptr<WatchStream>> Watch(const TypeDescriptor& type,
                                             std::string_view namespace_,
                                             const WatchOptions& options) const;
  /// Creates an object. `json` is the whole object. With `decode_as`, the response is decoded as
  /// that type, of which it has only the metadata without annotations.
  Result<ObjectPtr> Create(const TypeDescriptor& type, std::string_view namespace_,
                           std::string_view json, const TypeDescriptor* decode_as = nullptr) const;
  /// `subresource` is "", "status", "scale", ...
  Result<ObjectPtr> Patch(const TypeDescriptor& type, const NamespacedName& name, PatchType patch,
                          std::string_view body, std::string_view subresource = {}) const;
  Status Delete(const TypeDescriptor& type, const NamespacedName& name,
                const DeleteOptions& options = {}) const;
  /// Posts `json` to a subresource (pods/NAME/binding, serviceaccounts/NAME/token). Returns the
  /// body of the response.
  Result<std::string> CreateSubresource(const TypeDescriptor& type, const NamespacedName& name,
                                        std::string_view subresource, std::string_view json) const;
  /// Sends a GET for any path (`/version`, `/readyz`). Returns the body of the response.
  Result<std::string> GetPath(std::string_view path) const;

  // Typed wrappers.
  template <ApiObject T>
  Result<std::shared_ptr<const T>> Get(const NamespacedName& name) const {
    return Cast<T>(Get(DescriptorOf<T>(), name));
  }
  template <ApiObject T>
  Result<std::vector<std::shared_ptr<const T>>> ListAll(std::string_view namespace_,
                                                        ListOptions options = {}) const {
    std::vector<std::shared_ptr<const T>> all;
    if (options.limit == 0) options.limit = 500;
    do {
      auto page = List(DescriptorOf<T>(), namespace_, options);
      if (!page) return page.status();
      for (auto& item : page->items) all.push_back(std::static_pointer_cast<const T>(item));
      options.continue_token = page->continue_token;
    } while (!options.continue_token.empty());
    return all;
  }
  template <ApiObject T>
  Result<std::shared_ptr<const T>> Create(const T& object) const {
    return Cast<T>(Create(DescriptorOf<T>(), object.metadata.namespace_.view(), ToJson(object)));
  }
  /// Patches the object from `from` to `to` with the resourceVersion of `from`. The patch is a
  /// merge patch with the difference in the fields that both objects keep (DiffMergePatch).
  /// InvalidArgument if a changed field is not kept by a cached `from` (CheckDifferenceIsKept).
  /// Without a difference, nothing is sent and the result is null. With the subresource "status",
  /// the difference excludes the spec, because the server would ignore it.
  template <ApiObject T>
  Result<std::shared_ptr<const T>> PatchDifference(const T& from, const T& to,
                                                   std::string_view subresource = {}) const {
    return Cast<T>(PatchDifference(DescriptorOf<T>(), &from, &to, subresource));
  }
  template <ApiObject T>
  Result<std::shared_ptr<const T>> Patch(const NamespacedName& name, PatchType patch,
                                         std::string_view body,
                                         std::string_view subresource = {}) const {
    return Cast<T>(Patch(DescriptorOf<T>(), name, patch, body, subresource));
  }
  template <ApiObject T>
  Status Delete(const NamespacedName& name, const DeleteOptions& options = {}) const {
    return Delete(DescriptorOf<T>(), name, options);
  }

 private:
  struct Shared;
  template <class T>
  static Result<std::shared_ptr<const T>> Cast(Result<ObjectPtr> object) {
    if (!object) return object.status();
    return std::static_pointer_cast<const T>(*object);
  }
  Result<ObjectPtr> PatchDifference(const TypeDescriptor& type, const void* from, const void* to,
                                    std::string_view subresource) const;
  HttpRequest NewRequest(std::string_view method, std::string target, std::string_view body = {},
                         std::string_view content_type = {}) const;
  Result<std::string> Exchange(const HttpRequest& request) const;
  HttpRequest Accepting(HttpRequest request, const TypeDescriptor& type, const FieldSet& fields,
                        std::string_view partial, bool same_kind = true) const;
  Result<ObjectPtr> ExchangeObject(const TypeDescriptor& type, HttpRequest request,
                                   const FieldSet& fields = {}, bool same_kind = true) const;

  std::shared_ptr<Shared> shared_;
  std::stop_token stop_;
  std::string user_agent_;
  std::shared_ptr<WriteObserver> observer_;  // may be null
  std::shared_ptr<const WriteFence> fence_;  // may be null
  bool in_background_ = false;
};

}  // namespace capstan
