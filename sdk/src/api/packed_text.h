#pragma once

/// Compression of the texts that caches keep and rarely read, e.g. pod templates.
///
/// Templates of a cluster resemble each other, so a dictionary of typical ones makes even a short
/// text small: about a seventh of the size. Reading one takes some microseconds.
///
/// Threads: all functions may be called from any thread. They share two contexts, since one a
/// thread would take more memory than the texts of a small cluster.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace capstan::internal {

/// Returns the packed form of `text`; nullopt if packing it is not worth it. Equal texts have equal
/// packed forms.
std::optional<std::string> Pack(std::string_view text);

/// Returns the text of `size` bytes that `packed`, a result of Pack, stands for.
std::string Unpack(std::string_view packed, size_t size);

}  // namespace capstan::internal
