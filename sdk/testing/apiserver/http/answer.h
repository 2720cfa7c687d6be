#pragma once

// From objects to the text of an answer.

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

// How a request wants its objects printed.
struct Presentation {
  // Errors: BadRequest, for a bad includeObject.
  static Result<Presentation> Of(const MediaType& media, const Query& query);

  MediaType media;
  std::string include;  // includeObject of tables
};

// The answer to a request for one object. Status objects stay as they are. Errors: NotAcceptable.
Result<std::string> PrintObject(const Resource& resource, const json::Value& object,
                                const Presentation& presentation, WallTime now);
Result<std::string> PrintList(const Resource& resource, const Reader::Page& page,
                              const Presentation& presentation, WallTime now);
// For the objects of a watch. Empty for objects as they are.
ObjectPrinter PrinterOf(const Resource& resource, const Presentation& presentation,
                        const Clock& clock);

// A JSON text over many lines, indented by two spaces.
std::string Indented(std::string_view json);

// A whole answer. `headers`: name and value.
std::unique_ptr<HttpResponse> NewAnswer(int code, std::string body,
                                        std::vector<std::pair<std::string, std::string>> headers);

}  // namespace capstan::testing::server
