#pragma once

/// The list of the kinds that libcapstan describes with a struct. Everything that needs all kinds
/// reads this list: Scheme, the layout fingerprint, the property tests, docs/kinds.md. A kind that
/// is registered (capstan/api/registration.h) but not listed, or listed but not registered, does
/// not compile.
///
/// If several structs describe one resource, Scheme returns the first one for a look-up by kind or
/// resource.

/// KIND(namespace below capstan::api, struct)
#define CAPSTAN_KINDS(KIND)       \
  KIND(apps::v1, Deployment)      \
  KIND(apps::v1, ReplicaSet)      \
  KIND(core::v1, Pod)             \
  KIND(core::v1, PodFromTemplate) \
  KIND(core::v1, Event)           \
  KIND(core::v1, Namespace)       \
  KIND(core::v1, Node)            \
  KIND(coordination::v1, Lease)

namespace capstan::internal {

template <class T>
inline constexpr bool kIsListed = false;

}  // namespace capstan::internal

#define CAPSTAN_INTERNAL_KIND(space, Kind) \
  namespace capstan::api::space {          \
  struct Kind;                             \
  }                                        \
  template <>                              \
  inline constexpr bool capstan::internal::kIsListed<capstan::api::space::Kind> = true;
CAPSTAN_KINDS(CAPSTAN_INTERNAL_KIND)
#undef CAPSTAN_INTERNAL_KIND
