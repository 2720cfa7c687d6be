#include "base/http/socket_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include <capstan/runtime/format.h>

namespace capstan::http {
namespace {

constexpr int kBacklog = 128;

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Status SocketFailure(const char* what) {
  return Status::InvalidArgument(Format("{}: {}", what, std::generic_category().message(errno)));
}

Result<AddressList> ResolveHost(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(),
                                &hints, &found);
  if (error != 0) return Status::InvalidArgument(gai_strerror(error));
  return AddressList(found, freeaddrinfo);
}

template <class Address>
Address CopiedAs(const sockaddr_storage& address) {
  Address as;
  std::memcpy(&as, &address, sizeof(as));
  return as;
}

/// Returns the 16 bytes of an IPv6 address. An IPv4 address is mapped.
in6_addr Ipv6BytesOf(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET6) return CopiedAs<sockaddr_in6>(address).sin6_addr;
  in6_addr mapped{};
  mapped.s6_addr[10] = mapped.s6_addr[11] = 0xff;
  const in_addr ipv4 = CopiedAs<sockaddr_in>(address).sin_addr;
  std::memcpy(&mapped.s6_addr[12], &ipv4, sizeof(ipv4));
  return mapped;
}

std::string AddressText(const in6_addr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    inet_ntop(AF_INET, &address.s6_addr[12], text.data(), text.size());
  } else {
    inet_ntop(AF_INET6, &address, text.data(), text.size());
  }
  return text.data();
}

}  // namespace

Result<io::UniqueFd> ListenOn(const std::string& host, int port) {
  auto addresses = ResolveHost(host, port);
  if (!addresses) return addresses.status();
  const addrinfo& address = **addresses;
  io::UniqueFd socket(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return SocketFailure("socket");
  const int on = 1;
  const int off = 0;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address.ai_family == AF_INET6) {  // "::" accepts IPv4 too
    setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  }
  if (bind(socket.get(), address.ai_addr, address.ai_addrlen) != 0) return SocketFailure("bind");
  if (listen(socket.get(), kBacklog) != 0) return SocketFailure("listen");
  return socket;
}

std::string AddressOf(const sockaddr_storage& address) { return AddressText(Ipv6BytesOf(address)); }

int PortOf(const sockaddr_storage& address) {
  return ntohs(address.ss_family == AF_INET6 ? CopiedAs<sockaddr_in6>(address).sin6_port
                                             : CopiedAs<sockaddr_in>(address).sin_port);
}

ClientOrigin OriginOf(const sockaddr_storage& address) {
  in6_addr bytes = Ipv6BytesOf(address);
  const bool is_ipv4 = IN6_IS_ADDR_V4MAPPED(&bytes);
  const bool is_local = is_ipv4 ? bytes.s6_addr[12] == 127 : IN6_IS_ADDR_LOOPBACK(&bytes);
  // The owner of an IPv6 address usually owns its whole /64 network.
  if (!is_ipv4 && !is_local) std::fill(&bytes.s6_addr[8], &bytes.s6_addr[0] + 16, uint8_t{0});
  return {.network = AddressText(bytes), .is_local = is_local};
}

sockaddr_storage LocalAddress(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return address;
}

}  // namespace capstan::http
