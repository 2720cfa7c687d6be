#include "pages/flagz_page.h"

#include <algorithm>
#include <string_view>

#include "base/text/url_text.h"
#include "pages/zpage.h"

namespace capstan::manager {
namespace {

bool IsSecretName(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('-') + 1);
  return last == "password" || last == "token" || last == "secret" || last == "key";
}

}  // namespace

std::string ShownFlagValue(const std::string& name, const std::string& value) {
  if (IsSecretName(name)) return value.empty() ? value : "CENSORED";
  return value.find("://") == std::string::npos ? value : text::RedactedUrl(value);
}

void AddFlagzPage(http::Mux& mux, std::string component, std::function<FlagList()> flags) {
  mux.Handle("/flagz", [component = std::move(component),
                        flags = std::move(flags)](const http::ServerRequest&) {
    FlagList values = flags();
    std::sort(values.begin(), values.end());
    std::string text = ZPageHeader(component, "flagz");
    for (const auto& [name, value] : values)
      text += name + "=" + ShownFlagValue(name, value) + "\n";
    return http::ServerResponse{.body = std::move(text)};
  });
}

}  // namespace capstan::manager
