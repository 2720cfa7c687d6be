#pragma once

/// The certificate and key of the HTTPS listener.

#include <string>

#include <capstan/runtime/status.h>

struct ssl_ctx_st;

namespace capstan::manager {

/// Makes a key and a certificate for `host`, signed by itself and valid for a year, in memory, and
/// puts them into `context`.
Status UseSelfSignedCertificate(ssl_ctx_st* context, const std::string& host);

/// Puts the certificate chain and key of two PEM files into `context`. The error names the file.
Status UseCertificateFiles(ssl_ctx_st* context, const std::string& certificate,
                           const std::string& key);

}  // namespace capstan::manager
