#include "election/identity.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "base/text/ascii.h"

namespace capstan::manager {

std::string NewIdentity(Runtime& runtime) {
  char host[256] = {};
  if (gethostname(host, sizeof(host) - 1) != 0) std::snprintf(host, sizeof(host), "unknown");
  const uint64_t high = (runtime.Random() & ~0xf000ULL) | 0x4000ULL;  // version 4: random
  const uint64_t low = (runtime.Random() & ~(0xc0ULL << 56)) | 0x80ULL << 56;
  char uuid[37];
  std::snprintf(uuid, sizeof(uuid), "%08x-%04x-%04x-%04x-%012llx",
                static_cast<unsigned>(high >> 32), static_cast<unsigned>(high >> 16 & 0xffff),
                static_cast<unsigned>(high & 0xffff), static_cast<unsigned>(low >> 48),
                static_cast<unsigned long long>(low & 0xffffffffffffULL));
  return std::string(host) + "_" + uuid;
}

std::string DnsSafe(std::string_view identity) {
  constexpr size_t kLongestName = 253;
  // The end of the identity is its unique part.
  if (identity.size() > kLongestName) identity.remove_prefix(identity.size() - kLongestName);
  std::string name(identity);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return text::IsAlphanumeric(c) ? text::ToLower(c) : '-'; });
  name.erase(name.find_last_not_of('-') + 1);
  name.erase(0, name.find_first_not_of('-'));
  return name;
}

}  // namespace capstan::manager
