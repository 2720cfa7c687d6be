#include "api/packed_text.h"

#include <memory>
#include <new>
#include <stdexcept>

#include <zstd.h>

#include <capstan/runtime/mutex.h>

namespace capstan::internal {
namespace {

constexpr int kLevel = 3;

template <auto kFree>
struct Freer {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
template <class T, auto kFree>
using Owned = std::unique_ptr<T, Freer<kFree>>;

class Packer {
 public:
  std::string Pack(std::string_view text, std::string_view base) {
    MutexLock lock(mutex_);
    room_.resize(ZSTD_compressBound(text.size()));
    ZSTD_CCtx_refPrefix(context_.get(), base.data(), base.size());  // for one text
    const size_t size =
        ZSTD_compress2(context_.get(), room_.data(), room_.size(), text.data(), text.size());
    // Without a result the text stays as it is.
    return ZSTD_isError(size) ? std::string(text) : room_.substr(0, size);
  }

 private:
  static ZSTD_CCtx* NewContext() {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    if (!context) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, kLevel);
    return context;
  }

  Mutex mutex_;
  const Owned<ZSTD_CCtx, ZSTD_freeCCtx> context_{NewContext()};
  std::string room_ CAPSTAN_GUARDED_BY(mutex_);
};

class Unpacker {
 public:
  std::string Unpack(std::string_view packed, size_t size, std::string_view base) {
    std::string text(size, '\0');
    MutexLock lock(mutex_);
    const size_t filled = ZSTD_decompress_usingDict(
        context_.get(), text.data(), size, packed.data(), packed.size(), base.data(), base.size());
    if (ZSTD_isError(filled) || filled != size) {
      throw std::logic_error("a packed text is damaged in memory");
    }
    return text;
  }

 private:
  Mutex mutex_;
  const Owned<ZSTD_DCtx, ZSTD_freeDCtx> context_{ZSTD_createDCtx()};
};

}  // namespace

std::optional<std::string> Pack(std::string_view text, std::string_view base) {
  if (text.size() < kShortestPacked) return std::nullopt;
  static Packer packer;
  std::string packed = packer.Pack(text, base);
  if (packed.size() > text.size() - text.size() / 4) return std::nullopt;
  return packed;
}

std::string Unpack(std::string_view packed, size_t size, std::string_view base) {
  static Unpacker unpacker;
  return unpacker.Unpack(packed, size, base);
}

}  // namespace capstan::internal
