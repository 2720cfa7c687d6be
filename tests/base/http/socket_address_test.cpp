#include "base/http/socket_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstring>
#include <string>

namespace capstan::http {
namespace {

sockaddr_storage AddressFrom(const std::string& text) {
  sockaddr_storage address{};
  sockaddr_in ipv4{.sin_family = AF_INET, .sin_port = htons(80), .sin_addr = {}, .sin_zero = {}};
  sockaddr_in6 ipv6{};
  ipv6.sin6_family = AF_INET6;
  ipv6.sin6_port = htons(80);
  if (inet_pton(AF_INET, text.c_str(), &ipv4.sin_addr) == 1) {
    std::memcpy(&address, &ipv4, sizeof(ipv4));
  } else {
    EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), &ipv6.sin6_addr), 1) << text;
    std::memcpy(&address, &ipv6, sizeof(ipv6));
  }
  return address;
}

TEST(SocketAddress, IsPrintedAsHostAndPort) {
  EXPECT_EQ(AddressOf(AddressFrom("10.0.0.1")), "10.0.0.1");
  EXPECT_EQ(AddressOf(AddressFrom("::ffff:10.0.0.1")), "10.0.0.1");
  EXPECT_EQ(AddressOf(AddressFrom("2001:db8::1")), "2001:db8::1");
  EXPECT_EQ(PortOf(AddressFrom("10.0.0.1")), 80);
  EXPECT_EQ(PortOf(AddressFrom("::1")), 80);
}

TEST(SocketAddress, GroupsIpv6ClientsByNetwork) {
  EXPECT_EQ(OriginOf(AddressFrom("2001:db8:1:2:3:4:5:6")).network, "2001:db8:1:2::");
  EXPECT_EQ(OriginOf(AddressFrom("10.1.2.3")).network, "10.1.2.3");
  EXPECT_EQ(OriginOf(AddressFrom("::ffff:10.1.2.3")).network, "10.1.2.3");
}

TEST(SocketAddress, DetectsLoopback) {
  for (const char* local : {"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(OriginOf(AddressFrom(local)).is_local) << local;
  }
  for (const char* remote : {"10.0.0.1", "128.0.0.1", "::2", "fe80::1", "::ffff:10.0.0.1"}) {
    EXPECT_FALSE(OriginOf(AddressFrom(remote)).is_local) << remote;
  }
}

}  // namespace
}  // namespace capstan::http
