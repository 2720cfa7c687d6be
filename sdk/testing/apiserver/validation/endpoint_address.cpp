#include "apiserver/validation/endpoint_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

namespace capstan::testing::server {

void ValidateEndpointIp(const std::string& address, const FieldPath& path, FieldErrors& errors) {
  in_addr v4{};
  in6_addr v6{};
  bool unspecified = false;
  bool loopback = false;
  bool link_local = false;
  bool link_local_multicast = false;
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) {
    const uint32_t number = ntohl(v4.s_addr);
    unspecified = number == 0;
    loopback = number >> 24 == 127;
    link_local = number >> 16 == 0xa9fe;
    link_local_multicast = number >> 8 == 0xe00000;
  } else if (inet_pton(AF_INET6, address.c_str(), &v6) == 1) {
    unspecified = IN6_IS_ADDR_UNSPECIFIED(&v6);
    loopback = IN6_IS_ADDR_LOOPBACK(&v6);
    link_local = IN6_IS_ADDR_LINKLOCAL(&v6);
    link_local_multicast = IN6_IS_ADDR_MC_LINKLOCAL(&v6);
  } else {
    errors.Invalid(path.Text(), address, "must be a valid IP address");
    return;
  }
  if (unspecified) {
    errors.Invalid(path.Text(), address, "may not be unspecified (" + address + ")");
  }
  if (loopback) {
    errors.Invalid(path.Text(), address, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
  }
  if (link_local) {
    errors.Invalid(path.Text(), address,
                   "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if (link_local_multicast) {
    errors.Invalid(path.Text(), address,
                   "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
}

}  // namespace capstan::testing::server
