#include "pages/configz_page.h"

#include <utility>

#include <capstan/api/raw_json.h>

namespace capstan::manager {

void AddConfigzPage(http::Mux& mux, std::string group, std::function<std::string()> json) {
  const std::string key(RawJson::String(group).text());
  mux.Handle("/configz", [key, json = std::move(json)](const http::ServerRequest&) {
    return http::ServerResponse{.content_type = "application/json",
                                .body = "{" + key + ":" + json() + "}\n"};
  });
}

}  // namespace capstan::manager
