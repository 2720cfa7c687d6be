#include "playground/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::playground {
namespace {

using ::testing::HasSubstr;

TEST(PlaygroundOptions, HaveDefaults) {
  auto parsed = ParseCommandLine({}, 80);
  ASSERT_TRUE(parsed.ok());
  const Options& options = std::get<Options>(*parsed);
  EXPECT_EQ(options.bind_address, "127.0.0.1");
  EXPECT_EQ(options.secure_port, 0);
  EXPECT_EQ(options.insecure_port, -1);
  EXPECT_EQ(options.nodes, 3);
  EXPECT_EQ(options.pod_ready_after, std::chrono::seconds(1));
}

TEST(PlaygroundOptions, AreReadFromTheCommandLine) {
  auto parsed = ParseCommandLine({"--secure-port=6443", "--insecure-port", "8080", "--nodes=0",
                                  "--pod-ready-after=1m30s", "--data=d.json", "-v4"},
                                 80);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  const Options& options = std::get<Options>(*parsed);
  EXPECT_EQ(options.secure_port, 6443);
  EXPECT_EQ(options.insecure_port, 8080);
  EXPECT_EQ(options.nodes, 0);
  EXPECT_EQ(options.pod_ready_after, std::chrono::seconds(90));
  EXPECT_EQ(options.data, "d.json");
  EXPECT_EQ(options.verbosity, 4);
}

TEST(PlaygroundOptions, ReportInvalidValues) {
  const std::pair<std::vector<std::string>, std::string> bad[] = {
      {{"--secure-port=65536"}, "--secure-port"},
      {{"--secure-port=-1"}, "--secure-port"},
      {{"--insecure-port=-2"}, "--insecure-port"},
      {{"--bind-address=localhost"}, "--bind-address"},
      {{"--nodes=-1"}, "--nodes"},
      {{"--nodes=5001"}, "--nodes"},
      {{"--pod-ready-after=5"}, "--pod-ready-after"},
      {{"--pod-ready-after=-5s"}, "--pod-ready-after"},
      {{"--pod-gone-after=-1ms"}, "--pod-gone-after"},
      {{"--kubeconfig="}, "--kubeconfig"},
      {{"--wat"}, "--wat"},
      {{"argument"}, "argument"},
  };
  for (const auto& [arguments, name] : bad) {
    const auto parsed = ParseCommandLine(arguments, 80);
    ASSERT_FALSE(parsed.ok()) << arguments[0];
    EXPECT_THAT(parsed.status().message(), HasSubstr(name));
  }
}

TEST(PlaygroundOptions, PrintHelp) {
  auto parsed = ParseCommandLine({"--help"}, 80);
  ASSERT_TRUE(parsed.ok());
  EXPECT_THAT(std::get<std::string>(*parsed), HasSubstr("--pod-ready-after"));
}

}  // namespace
}  // namespace capstan::playground
