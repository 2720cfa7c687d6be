#pragma once

/// /whyz: why objects are not as their specs want them, in the controllers' own words.

#include <functional>
#include <string_view>
#include <vector>

#include <capstan/controller/explainer.h>
#include <capstan/runtime/clock.h>

#include "base/http/mux.h"

namespace capstan::manager {

/// Whom the page asks. Threads: called from any thread, at most two at once.
struct WhySource {
  std::function<Result<ExplainedObject>(std::string_view kind, const NamespacedName& name)> explain;
  std::function<Result<std::vector<ExplainedObject>>()> unsettled;
};

/// Serves /whyz: all objects that are blocked or waiting, the blocked ones first, the oldest first.
/// `?for=KIND/NAMESPACE/NAME` tells of one alone, in more detail; `?format=json` gives JSON. 429
/// when it is asked too much at once, 503 when this process does not lead. `clock` is borrowed.
void AddWhyPage(http::Mux& mux, const Clock& clock, WhySource source);

}  // namespace capstan::manager
