#pragma once

/// /whyz: why objects do not match their specs, as explained by the controllers.

#include <functional>
#include <string_view>
#include <vector>

#include <capstan/controller/explainer.h>
#include <capstan/runtime/clock.h>

#include "base/http/mux.h"

namespace capstan::manager {

/// The data source of the page. Threads: the functions are called from any thread, by at most two
/// at the same time.
struct WhySource {
  std::function<Result<ExplainedObject>(std::string_view kind, const NamespacedName& name)> explain;
  std::function<Result<std::vector<ExplainedObject>>()> unsettled;
};

/// Serves /whyz: lists all blocked or waiting objects, blocked ones first, then the oldest first.
/// `?for=KIND/NAMESPACE/NAME` explains one object in more detail. `?format=json` returns JSON.
/// Returns 429 for too many concurrent requests and 503 if this process is not the leader. `clock`
/// is borrowed.
void AddWhyPage(http::Mux& mux, const Clock& clock, WhySource source);

}  // namespace capstan::manager
