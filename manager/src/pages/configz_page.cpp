#include "pages/configz_page.h"

#include <utility>

#include <capstan/api/raw_json.h>

namespace capstan::manager {

void AddConfigzPage(Mux& mux, std::string group, std::function<std::string()> json) {
  const std::string key(RawJson::String(group).text());
  mux.Handle("/configz", [key, json = std::move(json)](const ServerRequest&) {
    return ServerResponse{.content_type = "application/json",
                          .body = "{" + key + ":" + json() + "}\n"};
  });
}

}  // namespace capstan::manager
