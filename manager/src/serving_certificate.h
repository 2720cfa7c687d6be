#pragma once

/// The certificate and key of the HTTPS listener.

#include <string>

#include <capstan/runtime/status.h>

#include <Poco/Net/Context.h>

struct ssl_ctx_st;

namespace capstan::manager {

/// The TLS context of a listener, without a certificate yet: TLS 1.2 or newer, and none is asked of
/// clients. Throws what POCO throws.
Poco::Net::Context::Ptr NewServerContext();

/// Makes a key and a certificate for `host`, signed by itself and valid for a year, in memory, and
/// puts them into `context`.
Status UseSelfSignedCertificate(ssl_ctx_st* context, const std::string& host);

/// Puts the certificate chain and key of two PEM files into `context`. The error names the file.
Status UseCertificateFiles(ssl_ctx_st* context, const std::string& certificate,
                           const std::string& key);

}  // namespace capstan::manager
