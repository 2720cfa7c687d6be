#pragma once

/// Serves watch: a response that streams events.

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include <capstan/client/transport.h>

#include "apiserver/storage/reader.h"

namespace capstan::testing::server {

/// Prints the object of an event: unchanged (the default), as a Table, or as PartialObjectMetadata.
/// The thread that reads the response calls it, for one object at a time.
using ObjectPrinter = std::function<std::string(const StoredObject& object)>;

struct WatchSettings {
  Duration bookmark_period = std::chrono::minutes(1);
  Duration default_timeout = std::chrono::minutes(30);  ///< plus jitter of up to 100%
  ObjectPrinter print = {};                             ///< empty = objects are not changed
  std::string content_type = "application/json";
  bool protobuf = false;       ///< events are in protobuf; needs `print`
  std::stop_token close = {};  ///< ends the watch gracefully
};

/// Opens a watch that begins after resourceVersion. With "" or "0" or sendInitialEvents=true it
/// begins with the existing objects. Errors in the request are returned. Later errors (410) are
/// ERROR events. `store` and `runtime` must outlive the response.
Result<std::unique_ptr<HttpResponse>> OpenWatch(const Store& store, Runtime& runtime,
                                                const ApiRequest& request,
                                                const WatchSettings& settings,
                                                std::stop_token stop);

}  // namespace capstan::testing::server
