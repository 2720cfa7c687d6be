#include "capstan/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::tool {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

WhyOptions OptionsOf(const std::vector<std::string>& arguments) {
  auto parsed = ParseCommandLine(arguments, 80);
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  return parsed ? std::get<WhyOptions>(*parsed) : WhyOptions();
}

std::string TextOf(const std::vector<std::string>& arguments) {
  auto parsed = ParseCommandLine(arguments, 80);
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  return parsed ? std::get<std::string>(*parsed) : "";
}

TEST(CapstanOptions, ParseADeploymentLikeKubectl) {
  for (const char* kind : {"deployment", "deployments", "deploy", "deployments.apps"}) {
    for (const WhyOptions& options :
         {OptionsOf({"why", std::string(kind) + "/web"}), OptionsOf({"why", kind, "web"})}) {
      EXPECT_EQ(options.kind, kind);
      EXPECT_EQ(options.name, "web");
    }
  }
}

TEST(CapstanOptions, CanPrecedeAndFollowTheDeployment) {
  const WhyOptions options =
      OptionsOf({"why", "-n", "shop", "deploy/web", "-o", "json", "--kubeconfig=k", "--context=c",
                 "--request-timeout=2s", "--plugin-dir=p"});
  EXPECT_EQ(options.name, "web");
  EXPECT_EQ(options.namespace_, "shop");
  EXPECT_TRUE(options.json);
  EXPECT_EQ(options.kubeconfig, "k");
  EXPECT_EQ(options.context, "c");
  EXPECT_EQ(options.request_timeout, std::chrono::seconds(2));
  EXPECT_EQ(options.plugin_dir, "p");
}

TEST(CapstanOptions, CanSelectOrDisableTheManager) {
  EXPECT_EQ(OptionsOf({"why", "deployment/web", "--manager=none"}).manager, kNoManager);
  const WhyOptions options =
      OptionsOf({"why", "deployment/web", "--manager=https://m:1", "--certificate-authority=ca.pem",
                 "--insecure-skip-tls-verify", "--token-file=token"});
  EXPECT_EQ(options.manager, "https://m:1");
  EXPECT_EQ(options.token_file, "token");
  EXPECT_EQ(options.certificate_authority, "ca.pem");
  EXPECT_TRUE(options.insecure_skip_tls_verify);
}

TEST(CapstanOptions, HaveDefaults) {
  const WhyOptions options = OptionsOf({"why", "deployment/web"});
  EXPECT_EQ(options.namespace_, "");
  EXPECT_FALSE(options.json);
  EXPECT_EQ(options.manager, "");
}

TEST(CapstanOptions, ReportInvalidValues) {
  const std::pair<std::vector<std::string>, std::string> bad[] = {
      {{}, "no command given"},
      {{"wy"}, "unknown command \"wy\""},
      {{"why"}, "no object given"},
      {{"why", "web"}, "\"web\" is not of the form KIND/NAME"},
      {{"why", "deployment"}, "not of the form"},
      {{"why", "deployment/"}, "not of the form"},
      {{"why", "deployment/a/b"}, "not of the form"},
      {{"why", "deployment/a", "b"}, "not of the form"},
      {{"why", "deployment", "a", "b"}, "not of the form"},
      {{"why", "/web"}, "not of the form"},
      {{"why", "deployment/web", "-o", "yaml"}, "--output: \"yaml\""},
      {{"why", "deployment/web", "--manager", "10.0.0.1"}, "--manager: \"10.0.0.1\""},
      {{"why", "deployment/web", "--insecure-skip-tls-verify"}, "need --manager=https://..."},
      {{"why", "deployment/web", "--token-file=token"}, "need --manager=https://..."},
      {{"why", "deployment/web", "--request-timeout=0s"}, "--request-timeout"},
      {{"why", "deployment/web", "--wat"}, "--wat"},
  };
  for (const auto& [arguments, message] : bad) {
    const auto parsed = ParseCommandLine(arguments, 80);
    ASSERT_FALSE(parsed.ok()) << message;
    EXPECT_THAT(parsed.status().message(), HasSubstr(message));
  }
}

TEST(CapstanOptions, PrintHelp) {
  EXPECT_THAT(TextOf({"--help"}), HasSubstr("capstan why KIND/NAME"));
  EXPECT_EQ(TextOf({"help"}), TextOf({"-h"}));
  EXPECT_THAT(TextOf({"why", "--help"}),
              AllOf(HasSubstr("--manager"), HasSubstr("--kubeconfig"), HasSubstr("Examples:")));
  EXPECT_THAT(TextOf({"--version"}), HasSubstr("Capstan v"));
}

}  // namespace
}  // namespace capstan::tool
