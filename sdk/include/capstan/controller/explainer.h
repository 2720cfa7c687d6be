#pragma once

/// Explainer: tells an operator why an object does not match its spec.
///
///     context.ExplainWith<Deployment>(std::make_shared<DeploymentExplainer>(context));
///
/// Explanations are not stored. Each one is computed on request, for the manager's page /whyz or
/// for `capstan why`, so explanations do not slow down a controller's syncs.

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

/// The reason why an object waits, as one word and one sentence, with the supporting details.
struct Explanation {
  enum class State : uint8_t {
    kSettled,  ///< the object matches its spec
    kWaiting,  ///< in progress; it continues without intervention
    kBlocked,  ///< an operator has to intervene
  };
  /// One cause, observed on one object or on several objects.
  struct Detail {
    std::string object = {};  ///< "pod/web-7c9-x2v"
    int64_t more = 0;         ///< the number of other objects with the same reason
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

/// Formats the explanation as lines for humans. Each line ends with a line feed. Control characters
/// in texts from objects are replaced by spaces.
CAPSTAN_EXPORT std::string ExplanationText(const ExplainedObject& object, WallTime now);
/// Formats the explanation as one JSON object without white space.
CAPSTAN_EXPORT std::string ExplanationJson(const ExplainedObject& object);

/// Threads: all methods may be called from any thread, concurrently.
class CAPSTAN_EXPORT Explainer {
 public:
  virtual ~Explainer();
  /// Explains one object in full. May use `client` to read data that the cache does not hold.
  /// NotFound if the object does not exist.
  virtual Result<Explanation> Explain(const NamespacedName& name, const Client& client) = 0;
  /// Explains all objects that are not settled, from the cache only.
  virtual std::vector<ExplainedObject> Unsettled() = 0;
};

}  // namespace capstan
