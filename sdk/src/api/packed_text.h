#pragma once

/// Compression of the texts that caches keep and rarely read, e.g. pod templates.
///
/// Templates of a cluster resemble each other, so what they have in common with a typical one need
/// not be kept: even a short text takes about a seventh of its size, and one that was made of
/// another much less. Reading one takes some microseconds.
///
/// Threads: all functions may be called from any thread. They share two contexts, since one a
/// thread would take more memory than the texts of a small cluster.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/template_dictionary.h"

namespace capstan::internal {

/// Shorter texts are not packed.
inline constexpr size_t kShortestPacked = 256;

/// Returns the packed form of `text`, its difference to `base`, a similar JSON text; nullopt if
/// packing it is not worth it. Equal texts have equal packed forms.
std::optional<std::string> Pack(std::string_view text, std::string_view base = kTemplateDictionary);

/// Returns the text of `size` bytes that `packed`, a result of Pack with the same `base`, stands
/// for.
std::string Unpack(std::string_view packed, size_t size,
                   std::string_view base = kTemplateDictionary);

}  // namespace capstan::internal
