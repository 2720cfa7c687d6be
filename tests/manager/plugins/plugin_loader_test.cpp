#include "plugins/plugin_loader.h"

#include <capstan/plugin/hosted_plugin.h>
#include <capstan/testing/simulated_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manager/fake_api_server.h"
#include "plugin_directory.h"

namespace capstan::manager {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

class PluginLoader : public ::testing::Test {
 protected:
  // Reads and loads a library of tests/bad_plugins as the manager does.
  Result<LoadedPlugin> Load(const std::string& name) {
    file_ = directory_.Add(name).string();
    auto catalog = ReadPluginCatalog(directory_.path());
    if (!catalog) return catalog.status();
    EXPECT_THAT(catalog->plugins, SizeIs(1));
    return LoadPlugin(catalog->plugins[0]);
  }
  std::string ErrorOf(const std::string& name) { return Load(name).status().message(); }

  std::string SetupErrorOf(const std::string& name) {
    auto plugin = Load(name);
    if (!plugin) return "not loaded: " + plugin.status().message();
    capstan::testing::SimulatedRuntime runtime;
    FakeApiServer server(runtime);
    const Client client(std::make_shared<FakeTransport>(server), runtime);
    SharedInformerFactory informers(client, runtime, {});
    EventBroadcaster events(client, runtime, "host");
    Scheme scheme;
    MetricsRegistry metrics;
    HostedPlugin hosted(name, {.client = client,
                               .informers = informers,
                               .events = events,
                               .scheme = scheme,
                               .runtime = runtime,
                               .metrics = metrics});
    return SetUpPlugin(*plugin, hosted.context()).message();
  }

  PluginDirectory directory_;
  std::string file_;
};

TEST_F(PluginLoader, AMissingSymbolIsAnErrorThatNamesSymbolAndFile) {
  const std::string error = ErrorOf("missing_symbol");
  EXPECT_THAT(error, AllOf(StartsWith("plugin missing-symbol (" + file_ + "): cannot be loaded: "),
                           HasSubstr("undefined symbol: _Z21FunctionThatNobodyHasv")));
}

TEST_F(PluginLoader, AMissingDescriptorIsRefused) {
  EXPECT_THAT(ErrorOf("no_descriptor"),
              HasSubstr(file_ + "): does not export capstan_plugin_descriptor"));
}

TEST_F(PluginLoader, ADescriptorOfAnotherSizeIsAnErrorThatNamesBothSizes) {
  EXPECT_THAT(ErrorOf("small_descriptor"),
              HasSubstr("its descriptor has 8 bytes, contract version 2 requires " +
                        std::to_string(sizeof(PluginDescriptor))));
}

TEST_F(PluginLoader, ADescriptorOfAnotherPluginIsRefused) {
  EXPECT_THAT(ErrorOf("other_name"),
              HasSubstr("its note says \"other-name\" and its descriptor \"somebody-else\""));
}

TEST_F(PluginLoader, APluginWithoutSetupIsRefused) {
  EXPECT_THAT(ErrorOf("no_setup"), HasSubstr("its descriptor has no setup function"));
}

TEST_F(PluginLoader, AKindInTheNoteWithoutAnExplainerIsRefused) {
  EXPECT_THAT(ErrorOf("no_explanation"),
              HasSubstr("its descriptor does not explain the kind \"Cheese\" of its note"));
}

TEST_F(PluginLoader, AnExplainerThatThrowsIsAnError) {
  auto plugin = Load("throwing_setup");
  ASSERT_TRUE(plugin.ok()) << plugin.status().message();
  ASSERT_THAT(plugin->explains, SizeIs(1));
  EXPECT_STREQ(plugin->explains[0].kind, "Cheese");
  capstan::testing::SimulatedRuntime runtime;
  FakeApiServer server(runtime);
  const Client client(std::make_shared<FakeTransport>(server), runtime);
  EXPECT_EQ(CallExplain(*plugin, 0, client, {"default", "brie"}, {}).status().message(),
            "plugin throwing-setup (" + file_ + "): its explanation threw: out of crackers");
}

TEST_F(PluginLoader, ASetupThatThrowsIsAnError) {
  const std::string error = SetupErrorOf("throwing_setup");
  EXPECT_EQ(error, "plugin throwing-setup (" + file_ + "): its setup threw: out of cheese");
}

TEST_F(PluginLoader, ASetupThatFailsIsAnError) {
  const std::string error = SetupErrorOf("failing_setup");
  EXPECT_THAT(error, AllOf(StartsWith("plugin failing-setup (" + file_ + "): its setup failed: "),
                           HasSubstr("the moon is in the wrong phase")));
}

}  // namespace
}  // namespace capstan::manager
