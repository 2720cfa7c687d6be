#include "plugins/controller_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::manager {
namespace {

std::vector<PluginManifest> Known() {
  PluginManifest deployment;
  deployment.name = "deployment-controller";
  deployment.aliases = {"deployment"};
  PluginManifest replica_set;
  replica_set.name = "replicaset-controller";
  replica_set.aliases = {"replicaset"};
  PluginManifest rare;
  rare.name = "rare-controller";
  rare.off_by_default = true;
  return {deployment, replica_set, rare};
}

// The selected controllers as "drx", with '-' for one that does not run.
std::string Selected(const std::vector<std::string>& controllers) {
  std::string text;
  for (const PluginManifest& plugin : Known()) {
    text += IsSelected(plugin, controllers) ? plugin.name[0] : '-';
  }
  return text;
}

TEST(ControllerSelection, AStarSelectsAllControllersThatAreOnByDefault) {
  EXPECT_EQ(Selected({"*"}), "dr-");
}

TEST(ControllerSelection, ANameSelectsOnlyItself) {
  EXPECT_EQ(Selected({"deployment-controller"}), "d--");
  EXPECT_EQ(Selected({"replicaset"}), "-r-");
  EXPECT_EQ(Selected({}), "---");
}

TEST(ControllerSelection, AMinusDeselectsAController) {
  EXPECT_EQ(Selected({"*", "-deployment-controller"}), "-r-");
  EXPECT_EQ(Selected({"*", "-deployment"}), "-r-");
  EXPECT_EQ(Selected({"-replicaset", "*"}), "d--");
  EXPECT_EQ(Selected({"-replicaset"}), "---");
}

TEST(ControllerSelection, ANameWithAStarSelectsAControllerThatIsOffByDefault) {
  EXPECT_EQ(Selected({"*", "rare-controller"}), "drr");
}

TEST(ControllerSelection, TheFirstEntryForAControllerDecides) {
  EXPECT_EQ(Selected({"deployment", "-deployment-controller"}), "d--");
  EXPECT_EQ(Selected({"*", "-deployment", "deployment"}), "-r-");
}

TEST(ControllerSelection, KnownNamesAndAliasesAreValid) {
  EXPECT_TRUE(ValidateSelection({"*", "-deployment", "replicaset-controller"}, Known()).ok());
  EXPECT_TRUE(ValidateSelection({}, Known()).ok());
}

TEST(ControllerSelection, AnUnknownNameIsAnErrorThatListsTheKnownOnes) {
  EXPECT_EQ(ValidateSelection({"*", "-daemonset"}, Known()).message(),
            "flag --controllers: unknown controller \"daemonset\"; known controllers: "
            "deployment-controller (deployment), replicaset-controller (replicaset), "
            "rare-controller");
  EXPECT_FALSE(ValidateSelection({""}, Known()).ok());
  EXPECT_EQ(ValidateSelection({"deployment"}, {}).message(),
            "flag --controllers: unknown controller \"deployment\"; known controllers: none, as "
            "the plugin directory contains no plugin");
}

}  // namespace
}  // namespace capstan::manager
