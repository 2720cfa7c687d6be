#include "config/live_configuration.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manager/plugins/plugin_directory.h"

namespace capstan::manager {
namespace {

using ::testing::ElementsAre;

Status NoSetup(PluginContext&) { return Status::Ok(); }

class LiveConfigurationTest : public ::testing::Test {
 protected:
  LiveConfigurationTest() {
    line_.options.config_file = File();
    line_.arguments = {"--config=" + File()};
    for (const char* name : {"first-controller", "second-controller"}) {
      PluginManifest manifest;
      manifest.name = name;
      manifest.file = directory_.path() / (std::string(name) + ".so");
      line_.catalog.plugins.push_back(manifest);
    }
  }
  ~LiveConfigurationTest() override { SetLogVerbosity(0); }

  std::string File() const { return directory_.path() / "config.yaml"; }
  void Configure(const std::string& text) {
    std::ofstream(File()) << "apiVersion: capstan.dev/v1alpha1\n"
                             "kind: ControllerManagerConfiguration\n"
                          << text;
  }
  LiveConfiguration NewConfiguration() {
    auto options = ReloadOptions(line_);
    EXPECT_TRUE(options.ok()) << options.status().ToString();
    if (options) line_.options = *std::move(options);
    return LiveConfiguration(line_, [this](const PluginManifest& manifest) -> Result<LoadedPlugin> {
      loads_.push_back(manifest.name);
      if (manifest.name == broken_) return Status::InvalidArgument("broken");
      return LoadedPlugin{manifest, NoSetup};
    });
  }
  static std::vector<std::string> Selected(LiveConfiguration& configuration) {
    std::vector<std::string> names;
    for (const LoadedPlugin& plugin : configuration.selection().Get()) {
      names.push_back(plugin.manifest.name);
    }
    return names;
  }

  PluginDirectory directory_;
  CommandLine line_;
  std::vector<std::string> loads_;
  std::string broken_;
};

TEST_F(LiveConfigurationTest, LoadsEachSelectedPluginOnce) {
  Configure("generic: {controllers: [first-controller]}\n");
  LiveConfiguration configuration = NewConfiguration();
  ASSERT_TRUE(configuration.Load().ok());
  EXPECT_THAT(Selected(configuration), ElementsAre("first-controller"));
  for (const char* controllers : {"['*']", "[second-controller]", "['*']"}) {
    Configure(std::string("generic: {controllers: ") + controllers + "}\n");
    configuration.Reload();
  }
  EXPECT_THAT(Selected(configuration), ElementsAre("first-controller", "second-controller"));
  EXPECT_THAT(loads_, ElementsAre("first-controller", "second-controller"));
}

TEST_F(LiveConfigurationTest, ChangesControllersAndVerbosityAtRunTime) {
  Configure("");
  LiveConfiguration configuration = NewConfiguration();
  ASSERT_TRUE(configuration.Load().ok());
  int changes = 0;
  configuration.selection().OnChange([&] { ++changes; });
  Configure("generic: {controllers: ['*', -first-controller]}\nlogging: {verbosity: 4}\n");
  configuration.Reload();
  EXPECT_EQ(changes, 1);
  EXPECT_THAT(Selected(configuration), ElementsAre("second-controller"));
  EXPECT_TRUE(LogEnabled(4));
  EXPECT_EQ(configuration.Current().logging.verbosity, 4);
  configuration.Reload();
  EXPECT_EQ(changes, 1);
}

TEST_F(LiveConfigurationTest, KeepsTheFormerConfigurationWhenTheNewOneIsInvalid) {
  Configure("generic: {controllers: [first-controller]}\n");
  LiveConfiguration configuration = NewConfiguration();
  ASSERT_TRUE(configuration.Load().ok());
  for (const char* text : {"generic: {controllerz: ['*']}\n", "generic: [", "generic:\n  qps: 1\n",
                           "generic: {controllers: [nobody]}\n"}) {
    Configure(text);
    configuration.Reload();
    EXPECT_THAT(Selected(configuration), ElementsAre("first-controller")) << text;
  }
}

TEST_F(LiveConfigurationTest, KeepsTheFormerConfigurationWhenAPluginCannotBeLoaded) {
  Configure("generic: {controllers: [first-controller]}\n");
  LiveConfiguration configuration = NewConfiguration();
  ASSERT_TRUE(configuration.Load().ok());
  broken_ = "second-controller";
  Configure("generic: {controllers: ['*']}\nlogging: {verbosity: 4}\n");
  configuration.Reload();
  EXPECT_THAT(Selected(configuration), ElementsAre("first-controller"));
  EXPECT_FALSE(LogEnabled(4));
}

TEST_F(LiveConfigurationTest, SettingsThatNeedARestartAreNotChanged) {
  Configure("");
  LiveConfiguration configuration = NewConfiguration();
  ASSERT_TRUE(configuration.Load().ok());
  Configure("generic: {minResyncPeriod: 1h}\n");
  configuration.Reload();
  EXPECT_EQ(configuration.options().min_resync_period, std::chrono::hours(12));
  EXPECT_EQ(configuration.Current().min_resync_period, std::chrono::hours(1));
}

}  // namespace
}  // namespace capstan::manager
