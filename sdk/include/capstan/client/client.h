#pragma once

/// Client: typed calls to an API server.
///
/// Writes are creates, patches and deletes. There is no update by PUT on purpose: typed structs are
/// projections and would lose what they do not hold.
///
/// Each call is rate limited, obeys Retry-After, and repeats what is safe to repeat: requests
/// refused with 429, or 5xx with Retry-After, up to ten times, as client-go does; a GET whose
/// connection failed, a few times within a second.
///
/// A client and its copies (WithUserAgent, WithStop, ...) share one rate. When requests wait for
/// it, the user agents take turns, so that each gets its share; each fourth turn is that of the
/// request that waits longest. What may not wait behind others, as the renewal of a lease or a
/// probe of the server's health, takes a Client made for itself, which has a rate of its own.
///
/// Of a type with ResourceInfo::metadata_only the server is asked for the metadata alone, in reads,
/// watches and the answers to writes; a server that knows only whole objects sends those.
///
/// An answer that says success and cannot be read is a Malformed or Transport error: a write may
/// have taken effect (IsAmbiguous()).
///
/// Metrics rest_client_* as client-go's; capstan_malformed_objects_total{resource} counts objects
/// in lists and watches that do not decode. With a rate that adapts (max_qps),
/// capstan_client_rate_limit{host} is the present one, and capstan_client_throttled_total{host,
/// reason} counts how often it was lowered as the server refused or was slow.
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

/// The cause (Status::HasCause) of the refusal of a creation in a namespace that is being deleted:
/// nothing can be created there any more, and what asked for it goes too.
inline constexpr std::string_view kNamespaceTerminating = "NamespaceTerminating";

struct ListOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};        ///< "" = consistent read
  std::string resource_version_match = {};  ///< "", "Exact" or "NotOlderThan"
  std::string continue_token = {};
  int64_t limit = 0;     ///< 0 = all in one answer
  FieldSet fields = {};  ///< of the answer, what is decoded
};

struct WatchOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};
  bool allow_bookmarks = true;
  std::optional<Duration> timeout = {};  ///< the server ends the watch after it (timeoutSeconds)
  FieldSet fields = {};                  ///< of the objects, what is decoded
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
  /// The items that did not decode, reported and left out, as far as their names could be read.
  std::vector<NamespacedName> malformed = {};
};

struct WatchEvent {
  enum class Type : uint8_t { kAdded, kModified, kDeleted, kBookmark };
  Type type = Type::kAdded;
  ObjectPtr object;              ///< null for bookmarks, and with `name`
  std::string resource_version;  ///< of the object or bookmark
  NamespacedName name = {};      ///< set of a deletion whose object does not decode
};

/// An open watch. Belongs to one thread; destroying it closes the watch.
class CAPSTAN_EXPORT WatchStream {
 public:
  virtual ~WatchStream();
  /// Waits for the next event. nullopt: the server ended the watch in good order. An ERROR event is
  /// returned as its Status (IsGone() = relist). Objects that do not decode are reported and
  /// skipped. After an error the stream is of no more use.
  virtual Result<std::optional<WatchEvent>> Next() = 0;
};

struct ClientOptions {
  double qps = 20;  ///< <= 0: no limit
  int burst = 30;
  /// > qps: the rate adapts to the server. It grows up to this while requests wait for it and the
  /// server is quick, and shrinks, below qps too (to 5 at the least, or qps if that is less), when
  /// the server says 429 or slows down. The burst grows and shrinks with it. 0: the rate is fixed.
  double max_qps = 0;
  std::string user_agent = {};                  ///< "" = DefaultUserAgent()
  Duration timeout = std::chrono::seconds(30);  ///< of each request that is not a watch
  std::string host = {};  ///< "host:port" of the server: a label of the client's metrics
};

class CAPSTAN_EXPORT Client {
 public:
  Client(std::shared_ptr<Transport> transport, Runtime& runtime, ClientOptions options = {});
  ~Client();
  Client(const Client&);
  Client& operator=(const Client&);

  /// A client whose calls end with Canceled when `stop` is triggered; `stop` replaces an earlier
  /// one.
  Client WithStop(std::stop_token stop) const;
  /// A client that says it is `component` (User-Agent).
  Client WithUserAgent(std::string_view component) const;
  /// A client whose writes `observer` is told of and may refuse, in place of an earlier one.
  Client WithWriteObserver(std::shared_ptr<WriteObserver> observer) const;
  /// A client that writes only while `fence` allows it, in place of an earlier one: what may not be
  /// sent (any more) ends with Canceled and has had no effect; a write that is under way when the
  /// term ends is given up, and is ambiguous then.
  Client WithWriteFence(std::shared_ptr<const WriteFence> fence) const;

  // The core, over type descriptors. `type` must be a resource.
  Result<ObjectPtr> Get(const TypeDescriptor& type, const NamespacedName& name) const;
  /// One page. `namespace_` "" lists all namespaces.
  Result<ObjectList> List(const TypeDescriptor& type, std::string_view namespace_,
                          const ListOptions& options) const;
  Result<std::unique_ptr<WatchStream>> Watch(const TypeDescriptor& type,
                                             std::string_view namespace_,
                                             const WatchOptions& options) const;
  /// `json` is the whole object. With `decode_as` the answer may be decoded as another struct.
  Result<ObjectPtr> Create(const TypeDescriptor& type, std::string_view namespace_,
                           std::string_view json, const TypeDescriptor* decode_as = nullptr) const;
  /// `subresource` is "", "status", "scale", ...
  Result<ObjectPtr> Patch(const TypeDescriptor& type, const NamespacedName& name, PatchType patch,
                          std::string_view body, std::string_view subresource = {}) const;
  Status Delete(const TypeDescriptor& type, const NamespacedName& name,
                const DeleteOptions& options = {}) const;
  /// POST of `json` to a subresource (pods/NAME/binding, serviceaccounts/NAME/token); gives the
  /// answer's body.
  Result<std::string> CreateSubresource(const TypeDescriptor& type, const NamespacedName& name,
                                        std::string_view subresource, std::string_view json) const;
  /// GET of any path (`/version`, `/readyz`); gives the answer's body.
  Result<std::string> GetPath(std::string_view path) const;

  // The typed veneer.
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
  /// Patches `name` from `from` to `to` with from's resourceVersion: a merge patch of the
  /// difference, in the fields that both keep (DiffMergePatch). InvalidArgument when a field was
  /// changed that a cached `from` does not keep (CheckDifferenceIsKept). Without a difference
  /// nothing is sent and null is returned. With the subresource "status" the spec is no part of the
  /// difference, as the server would ignore it.
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
  Result<std::string> Exchange(const HttpRequest& request, size_t limit) const;
  Result<ObjectPtr> ExchangeObject(const TypeDescriptor& type, HttpRequest request) const;

  std::shared_ptr<Shared> shared_;
  std::stop_token stop_;
  std::string user_agent_;
  std::shared_ptr<WriteObserver> observer_;  // may be null
  std::shared_ptr<const WriteFence> fence_;  // may be null
};

}  // namespace capstan
