#pragma once

/// Explainer: how a controller tells an operator why an object is not as its spec wants it.
///
///     context.ExplainWith<Deployment>(std::make_shared<DeploymentExplainer>(context));
///
/// Nothing is kept: an explanation is computed when somebody asks, by the manager's page /whyz or
/// by `capstan why`, and so costs a controller's syncs nothing.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/meta_v1.h>
#include <capstan/api/time.h>
#include <capstan/client/client.h>
#include <capstan/export.h>
#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

namespace capstan {

/// What an object waits for, in one reason and one sentence, and what that rests upon.
struct Explanation {
  enum class State : uint8_t {
    kSettled,  ///< as the spec wants it
    kWaiting,  ///< on its way; what it waits for comes by itself
    kBlocked,  ///< somebody has to do something
  };
  /// One cause, seen at one object or at several alike.
  struct Detail {
    std::string object = {};  ///< "pod/web-7c9-x2v"
    int64_t more = 0;         ///< further objects of the same reason
    std::string reason = {};
    std::string message = {};
    api::Time since = {};  ///< may be absent
  };

  State state = State::kSettled;
  std::string reason = {};   ///< one word in CamelCase, e.g. "QuotaExceeded"
  std::string message = {};  ///< one sentence with names and numbers
  std::vector<std::string> notes = {};
  api::Time since = {};  ///< may be absent
  std::vector<Detail> details = {};
};

/// "settled", "waiting" or "blocked".
CAPSTAN_EXPORT std::string_view StateName(Explanation::State state);

struct ExplainedObject {
  std::string kind = {};  ///< "Deployment"
  NamespacedName name = {};
  Explanation explanation = {};
};

/// Lines for people, each with a line feed. What objects say of themselves may hold anything:
/// control characters become spaces.
CAPSTAN_EXPORT std::string ExplanationText(const ExplainedObject& object, WallTime now);
/// The same as one JSON object without white space.
CAPSTAN_EXPORT std::string ExplanationJson(const ExplainedObject& object);

/// Threads: all methods are called from any thread, and at once.
class CAPSTAN_EXPORT Explainer {
 public:
  virtual ~Explainer();
  /// Of one object, in full; what the cache does not hold may be read with `client`. NotFound when
  /// there is no such object.
  virtual Result<Explanation> Explain(const NamespacedName& name, const Client& client) = 0;
  /// Of all objects that are not settled, from the cache alone.
  virtual std::vector<ExplainedObject> Unsettled() = 0;
};

}  // namespace capstan
