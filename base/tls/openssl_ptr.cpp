#include "base/tls/openssl_ptr.h"

#include <openssl/err.h>

namespace capstan::tls {
namespace {

std::string ReasonOf(unsigned long code, const char* fallback) {
  ERR_clear_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason ? reason : fallback;
}

}  // namespace

std::string TakeError(const char* fallback) { return ReasonOf(ERR_peek_last_error(), fallback); }

std::string TakeFirstError(const char* fallback) { return ReasonOf(ERR_get_error(), fallback); }

std::string TextOf(BIO& memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(&memory, &data);
  return {data, static_cast<size_t>(size)};
}

}  // namespace capstan::tls
