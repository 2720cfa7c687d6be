#include "base/text/url_text.h"

#include <gtest/gtest.h>

#include <utility>

namespace capstan::text {
namespace {

TEST(UrlText, PutsBracketsAroundAnIpv6Address) {
  EXPECT_EQ(HostAndPort("10.0.0.1", 80), "10.0.0.1:80");
  EXPECT_EQ(HostAndPort("::1", 6443), "[::1]:6443");
}

TEST(UrlText, RedactionHidesCredentialsAndQuery) {
  const std::pair<const char*, const char*> cases[] = {
      {"https://me:secret@api:6443/x", "https://***@api:6443/x"},
      {"https://token@api", "https://***@api"},
      {"https://me:se@cret@api", "https://***@api"},
      {"https://me:se/cret@api", "https://***@api"},
      {"https://me:1/secret@api",
       "https://me:1/secret@api"},  // no password: a host, a port and a path
      {"me:secret@api:6443", "***@api:6443"},
      {"https://api/x?token=secret", "https://api/x?***"},
      {"https://api/x#secret", "https://api/x#***"},
      {"https://me:secret@api?token=secret#secret", "https://***@api?***"},
  };
  for (const auto& [url, shown] : cases) EXPECT_EQ(RedactedUrl(url), shown) << url;
}

TEST(UrlText, RedactionKeepsOtherParts) {
  for (const char* url : {"", "https://api:6443", "https://api:6443/x@y", "api:6443", "[::1]:6443",
                          "https://[::1]/x@y", "https://api/x/y"}) {
    EXPECT_EQ(RedactedUrl(url), url);
  }
}

}  // namespace
}  // namespace capstan::text
