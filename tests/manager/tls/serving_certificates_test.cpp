#include "tls/serving_certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "support/temp_folder.h"
#include "support/tls_authority.h"
#include "tls/kept_certificate.h"

namespace capstan::manager {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kKeptCrt = "certs/capstan-controller-manager.crt";
constexpr const char* kKeptKey = "certs/capstan-controller-manager.key";

class ServingCertificatesTest : public ::testing::Test {
 protected:
  // Writes a certificate whose first name is `name` to FILE.crt and FILE.key. Returns
  // "FILE.crt,FILE.key".
  std::string WritePair(const std::string& file, const std::string& name) {
    const Identity pair = authority_.Issue(name, {"DNS:" + name});
    return folder_.Write(file + ".crt", pair.cert_pem) + "," +
           folder_.Write(file + ".key", pair.key_pem);
  }
  void UseFiles(const std::string& file) {
    options_.tls_cert_file = folder_.Path(file + ".crt");
    options_.tls_private_key_file = folder_.Path(file + ".key");
  }
  std::unique_ptr<ServingCertificates> Load(const std::string& host = "web") {
    auto certificates = ServingCertificates::Load(options_, host);
    EXPECT_TRUE(certificates.ok()) << certificates.status().message();
    return certificates ? *std::move(certificates) : nullptr;
  }
  std::string Refusal() { return ServingCertificates::Load(options_, "web").status().message(); }
  // The first name of the certificate that is served for `server_name`.
  static std::string Shown(const ServingCertificates& certificates,
                           const std::string& server_name = "", const std::string& local = "") {
    return certificates.For(server_name, local).Names().at(0);
  }
  void Refresh(ServingCertificates& certificates, int second) {
    certificates.Refresh(MonotonicTime(std::chrono::hours(1) + std::chrono::seconds(second)));
  }

  TempFolder folder_;
  Authority authority_{"authority"};
  ServingOptions options_;
};

TEST_F(ServingCertificatesTest, AreSelfSignedForTheHostByDefault) {
  const auto certificates = Load();
  const ServingCertificate& shown = certificates->For("", "");
  EXPECT_THAT(shown.Names(), ElementsAre("web", "localhost"));
  EXPECT_TRUE(shown.IsFor("web"));
  EXPECT_FALSE(shown.IsFor("other"));
  EXPECT_TRUE(shown.IsValidFor(std::chrono::hours(24 * 300)));
  EXPECT_FALSE(shown.IsValidFor(std::chrono::hours(24 * 400)));
}

TEST_F(ServingCertificatesTest, StoreASelfSignedPairInADirectory) {
  options_.cert_dir = folder_.Path("certs");
  Load();
  const std::string certificate = folder_.Read(kKeptCrt);
  EXPECT_THAT(certificate, StartsWith("-----BEGIN CERTIFICATE-----"));
  struct stat info {};
  ASSERT_EQ(stat(folder_.Path(kKeptKey).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  Load();
  EXPECT_EQ(folder_.Read(kKeptCrt), certificate);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(options_.cert_dir), {}), 2);
}

TEST_F(ServingCertificatesTest, ReplaceAStoredPairOfAnotherHost) {
  options_.cert_dir = folder_.Path("certs");
  Load("web");
  EXPECT_EQ(Shown(*Load("api")), "api");
  EXPECT_EQ(Shown(*Load("api")), "api");
}

TEST_F(ServingCertificatesTest, ReplaceAStoredPairThatExpiresSoon) {
  options_.cert_dir = folder_.Path("certs");
  const Identity ending = authority_.Issue("web", {"DNS:web"});
  folder_.Write(kKeptCrt, ending.cert_pem);
  folder_.Write(kKeptKey, ending.key_pem);
  EXPECT_TRUE(Load()->For("", "").IsValidFor(kRenewalMargin));
  EXPECT_NE(folder_.Read(kKeptCrt), ending.cert_pem);
  EXPECT_NE(folder_.Read(kKeptKey), ending.key_pem);
}

TEST_F(ServingCertificatesTest, ReplaceAStoredPairWhileServing) {
  options_.cert_dir = folder_.Path("certs");
  const auto certificates = Load();
  const std::string kept = folder_.Read(kKeptCrt);
  const Identity ending = authority_.Issue("ending", {"DNS:web"});
  folder_.Write(kKeptCrt, ending.cert_pem);
  folder_.Write(kKeptKey, ending.key_pem);
  Refresh(*certificates, 1);
  EXPECT_EQ(Shown(*certificates), "web");
  EXPECT_TRUE(certificates->For("", "").IsValidFor(kRenewalMargin));
  EXPECT_NE(folder_.Read(kKeptCrt), kept);
}

TEST_F(ServingCertificatesTest, ReplaceAKeyWithoutACertificate) {
  options_.cert_dir = folder_.Path("certs");
  folder_.Write(kKeptKey, "half");
  EXPECT_EQ(Shown(*Load()), "web");
}

TEST_F(ServingCertificatesTest, NameTheFileOfABrokenStoredPair) {
  options_.cert_dir = folder_.Path("certs");
  Load();
  const std::string key = folder_.Read(kKeptKey);
  folder_.Write(kKeptKey, "no key");
  EXPECT_THAT(Refusal(), StartsWith("--cert-dir " + folder_.Path(kKeptKey) + ": "));
  folder_.Write(kKeptKey, authority_.Issue("web", {"DNS:web"}).key_pem);
  EXPECT_THAT(Refusal(), HasSubstr(" does not match --cert-dir " + folder_.Path(kKeptCrt)));
  std::filesystem::remove(folder_.Path(kKeptKey));
  EXPECT_THAT(Refusal(), StartsWith("--cert-dir: " + folder_.Path(kKeptKey) + ": no such file"));
  folder_.Write(kKeptKey, key);
  folder_.Write(kKeptCrt, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  EXPECT_THAT(Refusal(), StartsWith("--cert-dir " + folder_.Path(kKeptCrt) + ": "));
}

TEST_F(ServingCertificatesTest, NameADirectoryThatCannotBeCreated) {
  options_.cert_dir = folder_.Write("file", "") + "/certs";
  EXPECT_THAT(Refusal(), StartsWith("--cert-dir " + options_.cert_dir + ": "));
}

TEST_F(ServingCertificatesTest, NameAConfiguredFileThatIsNoCertificateOrKey) {
  WritePair("a", "a.test");
  WritePair("b", "b.test");
  UseFiles("a");
  options_.tls_private_key_file = folder_.Path("b.key");
  EXPECT_EQ(Refusal(), "--tls-private-key-file " + folder_.Path("b.key") +
                           " does not match --tls-cert-file " + folder_.Path("a.crt"));
  options_.tls_private_key_file = folder_.Write("empty", "");
  EXPECT_THAT(Refusal(), StartsWith("--tls-private-key-file " + folder_.Path("empty") + ": "));
  options_.tls_cert_file = folder_.Path("empty");
  EXPECT_THAT(Refusal(), StartsWith("--tls-cert-file " + folder_.Path("empty") + ": "));
  options_.tls_private_key_file = "";
  EXPECT_THAT(Refusal(), HasSubstr("must be given together"));
}

TEST_F(ServingCertificatesTest, AreReloadedWhenTheFilesChange) {
  WritePair("tls", "old.test");
  UseFiles("tls");
  const auto certificates = Load();
  Refresh(*certificates, 1);
  EXPECT_EQ(Shown(*certificates), "old.test");
  WritePair("tls", "new.test");
  Refresh(*certificates, 1);  // within the same second nothing is read
  EXPECT_EQ(Shown(*certificates), "old.test");
  Refresh(*certificates, 2);
  EXPECT_EQ(Shown(*certificates), "new.test");
}

TEST_F(ServingCertificatesTest, AreReloadedWhenASymbolicLinkChanges) {
  WritePair("one/tls", "old.test");
  WritePair("two/tls", "new.test");
  std::filesystem::create_symlink("one", folder_.Path("current"));
  UseFiles("current/tls");
  const auto certificates = Load();
  std::filesystem::create_symlink("two", folder_.Path("next"));
  std::filesystem::rename(folder_.Path("next"), folder_.Path("current"));
  Refresh(*certificates, 1);
  EXPECT_EQ(Shown(*certificates), "new.test");
}

TEST_F(ServingCertificatesTest, StayUnchangedWhileTheFilesAreNoPair) {
  WritePair("tls", "old.test");
  UseFiles("tls");
  const auto certificates = Load();
  const Identity next = authority_.Issue("new.test", {"DNS:new.test"});
  folder_.Write("tls.crt", next.cert_pem);
  Refresh(*certificates, 1);
  EXPECT_EQ(Shown(*certificates), "old.test");
  std::filesystem::remove(folder_.Path("tls.crt"));
  Refresh(*certificates, 2);
  EXPECT_EQ(Shown(*certificates), "old.test");
  folder_.Write("tls.crt", next.cert_pem);
  folder_.Write("tls.key", next.key_pem);
  Refresh(*certificates, 3);
  EXPECT_EQ(Shown(*certificates), "new.test");
}

class CountingSink final : public LogSink {
 public:
  CountingSink() { SetLogSink(this); }
  ~CountingSink() override { SetLogSink(nullptr); }
  void Write(std::string_view line) override {
    if (line.find("keeping the current one") != std::string_view::npos) ++count_;
  }
  int count() const { return count_; }

 private:
  int count_ = 0;
};

TEST_F(ServingCertificatesTest, LogAnInvalidNewPairOnce) {
  WritePair("tls", "old.test");
  UseFiles("tls");
  const auto certificates = Load();
  folder_.Write("tls.crt", "broken");
  const CountingSink sink;
  for (int second = 1; second < 5; ++second) Refresh(*certificates, second);
  EXPECT_EQ(sink.count(), 1);
  folder_.Write("tls.crt", "broken in another way");
  for (int second = 5; second < 9; ++second) Refresh(*certificates, second);
  EXPECT_EQ(sink.count(), 2);
}

TEST_F(ServingCertificatesTest, AreChosenByServerName) {
  WritePair("default", "default.test");
  UseFiles("default");
  options_.tls_sni_cert_keys = {
      WritePair("wild", "*.example.test"),
      WritePair("exact", "www.example.test"),
      WritePair("flag", "flag.test") + ":api.example.test,*.corp.test,10.0.0.1",
  };
  const auto certificates = Load();
  EXPECT_EQ(Shown(*certificates), "default.test");
  EXPECT_EQ(Shown(*certificates, "other.test"), "default.test");
  EXPECT_EQ(Shown(*certificates, "www.example.test"), "www.example.test");
  EXPECT_EQ(Shown(*certificates, "WWW.Example.test."), "www.example.test");
  EXPECT_EQ(Shown(*certificates, "ftp.example.test"), "*.example.test");
  EXPECT_EQ(Shown(*certificates, "a.ftp.example.test"), "default.test");
  EXPECT_EQ(Shown(*certificates, "api.example.test"), "flag.test");
  EXPECT_EQ(Shown(*certificates, "x.corp.test"), "flag.test");
  // The certificate's own name is not among the names in the flag.
  EXPECT_EQ(Shown(*certificates, "flag.test"), "default.test");
  EXPECT_EQ(Shown(*certificates, "", "10.0.0.1"), "flag.test");
  EXPECT_EQ(Shown(*certificates, "", "10.0.0.2"), "default.test");
}

TEST_F(ServingCertificatesTest, AreReloadedForServerNames) {
  options_.tls_sni_cert_keys = {WritePair("sni", "www.test")};
  const auto certificates = Load();
  EXPECT_EQ(Shown(*certificates, "www.test"), "www.test");
  WritePair("sni", "api.test");
  Refresh(*certificates, 1);
  EXPECT_EQ(Shown(*certificates, "api.test"), "api.test");
  EXPECT_EQ(Shown(*certificates, "www.test"), "web");
}

TEST_F(ServingCertificatesTest, RefuseAnInvalidSniFlag) {
  for (const std::string bad : {"", "a.crt", "a.crt,", "a,b,c", "a,b:", "a,b:x,,y"}) {
    options_.tls_sni_cert_keys = {bad};
    EXPECT_THAT(Refusal(), StartsWith("--tls-sni-cert-key \"" + bad + "\" is not ")) << bad;
  }
  options_.tls_sni_cert_keys = {"/none.crt,/none.key"};
  EXPECT_EQ(Refusal(), "--tls-sni-cert-key certificate: /none.crt: no such file");
}

}  // namespace
}  // namespace capstan::manager
