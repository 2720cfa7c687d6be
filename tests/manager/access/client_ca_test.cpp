#include "access/client_ca.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/client_authority.h"

namespace capstan::manager {
namespace {

using testing::ClientAuthority;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const WallTime kNow{std::chrono::seconds(1'800'000'000)};

class ClientCaTest : public ::testing::Test {
 protected:
  Result<ClientCertificate> Verify(const std::vector<std::string>& chain, WallTime now = kNow) {
    return ca_->Verify(chain, now);
  }
  std::string RefusalOf(const std::vector<std::string>& chain, WallTime now = kNow) {
    const auto certificate = Verify(chain, now);
    EXPECT_FALSE(certificate);
    EXPECT_TRUE(certificate.status().IsUnauthorized());
    return certificate.status().message();
  }

  const ClientAuthority authority_{"cluster"};
  std::shared_ptr<const ClientCa> ca_ = ClientCa::Parse(authority_.pem()).value();
};

TEST_F(ClientCaTest, ReadsUserGroupsAndUidOfACertificate) {
  const auto certificate = Verify({authority_.Issue(
      {.common_names = {"jane"}, .organizations = {"web", "admins", "web"}, .uids = {"1042"}})});
  ASSERT_TRUE(certificate) << certificate.status().ToString();
  EXPECT_EQ(certificate->common_name, "jane");
  EXPECT_THAT(certificate->organizations, ElementsAre("web", "admins", "web"));
  EXPECT_EQ(certificate->uid, "1042");
  EXPECT_THAT(certificate->sha256, SizeIs(64));
}

TEST_F(ClientCaTest, ACertificateCanHaveAnEmptyUser) {
  const auto certificate = Verify({authority_.Issue({.organizations = {"web"}})});
  ASSERT_TRUE(certificate) << certificate.status().ToString();
  EXPECT_EQ(certificate->common_name, "");
  EXPECT_EQ(certificate->uid, "");
}

TEST_F(ClientCaTest, TheLastOfSeveralCommonNamesIsUsed) {
  EXPECT_EQ(Verify({authority_.Issue({.common_names = {"first", "last"}})}).value().common_name,
            "last");
}

TEST_F(ClientCaTest, ANameIsNotTruncatedAtANulByte) {
  using std::string_literals::operator""s;
  EXPECT_EQ(Verify({authority_.IssueTo("admin\0.evil"s)}).value().common_name, "admin\0.evil"s);
}

TEST_F(ClientCaTest, ACertificateWithSeveralUidsIsRefused) {
  EXPECT_THAT(RefusalOf({authority_.Issue({.common_names = {"jane"}, .uids = {"1", "2"}})}),
              HasSubstr("several UIDs"));
}

TEST_F(ClientCaTest, ACertificateIsRefusedOutsideItsValidityPeriod) {
  const std::string certificate = authority_.IssueTo("jane");
  EXPECT_THAT(RefusalOf({certificate}, kNow + std::chrono::minutes(61)), HasSubstr("expired"));
  EXPECT_THAT(RefusalOf({certificate}, kNow - std::chrono::minutes(61)),
              HasSubstr("not yet valid"));
  EXPECT_TRUE(Verify({certificate}, kNow + std::chrono::minutes(59)));
}

TEST_F(ClientCaTest, AnAuthorityIsRefusedOutsideItsValidityPeriod) {
  const std::string certificate =
      authority_.Issue({.common_names = {"jane"}, .ends = std::chrono::hours(100)});
  EXPECT_THAT(RefusalOf({certificate}, kNow + std::chrono::hours(25)), HasSubstr("expired"));
}

TEST_F(ClientCaTest, AServerCertificateIsRefusedForClients) {
  EXPECT_THAT(
      RefusalOf({authority_.Issue({.common_names = {"jane"}, .extended_key_usage = "serverAuth"})}),
      HasSubstr("purpose"));
  EXPECT_TRUE(Verify({authority_.Issue(
      {.common_names = {"jane"}, .extended_key_usage = "serverAuth,clientAuth"})}));
  EXPECT_TRUE(Verify({authority_.Issue({.common_names = {"jane"}, .extended_key_usage = ""})}));
}

TEST_F(ClientCaTest, ASelfSignedCertificateIsRefused) {
  RefusalOf({testing::SelfSigned("jane")});
  RefusalOf({testing::SelfSigned("cluster")});
  const ClientAuthority other("cluster");  // same name, different key
  RefusalOf({other.IssueTo("jane")});
  RefusalOf({other.IssueTo("jane"), other.der()});
  RefusalOf({other.IssueTo("jane"), authority_.der()});
}

TEST_F(ClientCaTest, AClientCertificateCannotIssueOthers) {
  const ClientAuthority client("client", &authority_, "critical,CA:FALSE");
  RefusalOf({client.IssueTo("jane"), client.der()});
  const ClientAuthority unclear("unclear", &authority_, "");
  RefusalOf({unclear.IssueTo("jane"), unclear.der()});
}

TEST_F(ClientCaTest, IntermediateCertificatesOfTheClientAreUsed) {
  const ClientAuthority first("first", &authority_);
  const ClientAuthority second("second", &first);
  const std::string certificate = second.IssueTo("jane");
  EXPECT_EQ(Verify({certificate, second.der(), first.der()}).value().common_name, "jane");
  EXPECT_TRUE(Verify({certificate, first.der(), second.der(), authority_.der()}));
  RefusalOf({certificate});
  RefusalOf({certificate, first.der()});
}

TEST_F(ClientCaTest, AnIntermediateAuthorityCanBeTheTrustAnchor) {
  const ClientAuthority intermediate("intermediate", &authority_);
  ca_ = ClientCa::Parse(intermediate.pem()).value();
  EXPECT_TRUE(Verify({intermediate.IssueTo("jane")}));
  RefusalOf({authority_.IssueTo("jane")});
  RefusalOf({authority_.IssueTo("jane"), authority_.der()});
}

TEST_F(ClientCaTest, WeakSignaturesAreRefused) {
  RefusalOf({authority_.Issue({.common_names = {"jane"}, .sha1 = true})});
}

TEST_F(ClientCaTest, ACertificateThatDoesNotDecodeIsRefused) {
  const std::string certificate = authority_.IssueTo("jane");
  RefusalOf({});
  RefusalOf({""});
  RefusalOf({"garbage"});
  RefusalOf({std::string(100'000, '\x30')});
  RefusalOf({authority_.pem()});
  RefusalOf({certificate + "x"});
  RefusalOf({certificate, "garbage"});
  for (size_t size = 0; size < certificate.size(); size += 7) {
    RefusalOf({certificate.substr(0, size)});
  }
}

TEST_F(ClientCaTest, ACertificateWithAChangedByteIsRefused) {
  const std::string certificate = authority_.IssueTo("jane");
  for (size_t i = 0; i < certificate.size(); i += 3) {
    std::string changed = certificate;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(Verify({changed})) << i;
  }
}

TEST_F(ClientCaTest, TheLengthOfAChainIsLimited) {
  std::vector<std::string> chain(17, authority_.IssueTo("jane"));
  EXPECT_THAT(RefusalOf(chain), HasSubstr("too long"));
}

TEST_F(ClientCaTest, ABundleCanHoldSeveralAuthorities) {
  const ClientAuthority other("other");
  ca_ = ClientCa::Parse("# a comment\n" + authority_.pem() +
                        "-----BEGIN X-----\nAAAA\n-----END X-----\n" + other.pem())
            .value();
  EXPECT_TRUE(Verify({authority_.IssueTo("jane")}));
  EXPECT_TRUE(Verify({other.IssueTo("jane")}));
}

TEST_F(ClientCaTest, ABundleThatDoesNotDecodeIsAnError) {
  const std::string pem = authority_.pem();
  for (const std::string& bundle :
       {std::string(), std::string("garbage"), pem.substr(0, pem.size() / 2),
        pem + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        std::string("-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n")}) {
    const auto ca = ClientCa::Parse(bundle);
    EXPECT_EQ(ca.status().reason(), StatusReason::kInvalidArgument) << bundle;
  }
}

TEST_F(ClientCaTest, DetectsAuthoritiesThatTwoBundlesShare) {
  const ClientAuthority other("cluster");
  const auto both = ClientCa::Parse(other.pem() + authority_.pem()).value();
  EXPECT_TRUE(ca_->Overlaps(*both));
  EXPECT_TRUE(both->Overlaps(*ca_));
  EXPECT_FALSE(ca_->Overlaps(*ClientCa::Parse(other.pem()).value()));
}

}  // namespace
}  // namespace capstan::manager
