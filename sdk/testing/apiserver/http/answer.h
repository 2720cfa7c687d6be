#pragma once

/// Prints objects as the text of a response.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/client/transport.h>
#include <capstan/runtime/clock.h>

#include "apiserver/http/media_type.h"
#include "apiserver/storage/reader.h"
#include "apiserver/storage/watch.h"

namespace capstan::testing::server {

/// The output format that a request asks for.
struct Presentation {
  /// Errors: BadRequest if includeObject is invalid. The API checks it after the request.
  Status Check() const;

  MediaType media;
  std::string include;  ///< includeObject, for tables
};

/// Prints the response to a request for one object. Status objects are not changed. Errors:
/// NotAcceptable, and those of Presentation::Check.
Result<std::string> PrintObject(const Resource& resource, const json::Value& object,
                                const Presentation& presentation, WallTime now);
Result<std::string> PrintList(const Resource& resource, const Reader::Page& page,
                              const Presentation& presentation, WallTime now);
/// Returns the printer for the objects of a watch, or an empty function if objects are printed
/// unchanged.
ObjectPrinter PrinterOf(const Resource& resource, const Presentation& presentation,
                        const Clock& clock);

/// Formats a JSON text on several lines, indented by two spaces.
std::string Indented(std::string_view json);

/// Creates a complete response. `headers` are pairs of name and value.
std::unique_ptr<HttpResponse> NewAnswer(int code, std::string body,
                                        std::vector<std::pair<std::string, std::string>> headers);

}  // namespace capstan::testing::server
