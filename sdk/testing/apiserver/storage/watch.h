#pragma once

// watch: an answer that goes on.

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include <capstan/client/transport.h>

#include "apiserver/storage/reader.h"

namespace capstan::testing::server {

// How objects go over the wire: as they are (the default), as a Table, as PartialObjectMetadata.
// Called by the thread that reads, for one object after the other.
using ObjectPrinter = std::function<std::string(const StoredObject& object)>;

struct WatchSettings {
  Duration bookmark_period = std::chrono::minutes(1);
  Duration default_timeout = std::chrono::minutes(30);  // plus as much again at random
  ObjectPrinter print = {};                             // empty = as they are
  std::string content_type = "application/json";
  std::stop_token close = {};  // ends the watch in good order
};

// Begins after resourceVersion; with "" or "0" or sendInitialEvents=true with what is there. Errors
// of the request are errors here; what goes wrong later (410) is an ERROR event. `store` and
// `runtime` must outlive the response.
Result<std::unique_ptr<HttpResponse>> OpenWatch(const Store& store, Runtime& runtime,
                                                const ApiRequest& request,
                                                const WatchSettings& settings,
                                                std::stop_token stop);

}  // namespace capstan::testing::server
