#pragma once

/// The opaque token with which a client requests the next page of a list: base64 of
/// {"v":"meta.k8s.io/v1","rv":285,"start":"/default/web\u0000"}.

#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::testing::server {

/// The text of the Expired error for a token whose version is no longer in the history. The text
/// mentions a token for the newest state; Reader::TokenForNewest returns it.
inline constexpr std::string_view kInconsistentContinue =
    "The provided continue parameter is too old to display a consistent list result. You can start "
    "a new list without the continue parameter, or use the continue token in this response to "
    "retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first chunk was returned and now may show up in the list.";

struct ContinueToken {
  int64_t version = 0;  ///< negative = the newest state
  std::string start;    ///< the first key; Decode removes the leading '/'

  /// Errors: BadRequest with the API's text.
  static Result<ContinueToken> Decode(std::string_view text);
  std::string Encode() const;
};

}  // namespace capstan::testing::server
