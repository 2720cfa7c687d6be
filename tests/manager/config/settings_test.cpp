#include "config/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <utility>

#include <capstan/api/raw_json.h>

#include "config/config_file.h"
#include "config/config_writer.h"

namespace capstan::manager {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using namespace std::chrono_literals;

PluginManifest PluginNamed(std::string name, std::string flag) {
  PluginManifest plugin;
  plugin.name = std::move(name);
  plugin.concurrent_syncs_flag = std::move(flag);
  return plugin;
}

const std::vector<PluginManifest>& SomePlugins() {
  static const auto& plugins = *new std::vector<PluginManifest>{
      PluginNamed("deployment-controller", "concurrent-deployment-syncs"),
      PluginNamed("my.flagless-controller", "")};
  return plugins;
}

// Random values that are hard to represent as text.
class RandomSettings {
 public:
  explicit RandomSettings(uint32_t seed) : random_(seed) {}

  void Fill(std::vector<Setting>& settings) {
    for (Setting& setting : settings) {
      if (!setting.path.empty()) Fill(setting.value);
    }
  }

 private:
  size_t Below(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random_); }

  std::string Text() {
    static const char* const kTexts[] = {
        "",     "true",  "null",    "~",   "7",    "0x1F",  "1e3",   "a: b",    "- x",  "#no",
        "a #b", "\"q\"", "it's",    "[x]", "{x}",  "&a",    "*",     "*a",      "!t",   "%d",
        "@x",   "`x`",   "|",       ">",   "a\nb", "\ttab", " a ",   "-",       "---",  "...",
        "?",    "? a",   "a,b=c,d", "=",   "<<",   "\x01",  "\\n",   "ünïcödé", "日本", "/a/b.pem",
        ".5",   "+1",    "off",     "x:y", "a:",   ":",     "1.2.3", "0.0.0.0"};
    return kTexts[Below(std::size(kTexts))];
  }

  void Fill(cli::FlagValue& value) {
    if (auto* b = std::get_if<bool*>(&value)) **b = Below(2) == 0;
    if (auto* i = std::get_if<int*>(&value)) **i = static_cast<int>(random_());
    if (auto* d = std::get_if<double*>(&value)) {
      **d = std::uniform_real_distribution<double>(-1e9, 1e9)(random_);
    }
    if (auto* s = std::get_if<std::string*>(&value)) **s = Text();
    if (auto* t = std::get_if<Duration*>(&value)) {
      **t = Duration(std::uniform_int_distribution<int64_t>(-1'000'000'000'000'000'000,
                                                            1'000'000'000'000'000'000)(random_));
    }
    if (auto* list = cli::ListOf(value)) {
      list->assign(Below(4), "");
      for (std::string& item : *list) {
        item = Text() + (std::holds_alternative<cli::PairsValue>(value) ? "=" : "");
      }
    }
    if (auto* gates = std::get_if<std::map<std::string, bool>*>(&value)) {
      for (auto& [name, on] : **gates) on = Below(2) == 0;
    }
    if (auto* choice = std::get_if<cli::ChoiceValue>(&value))
      choice->set(Below(choice->words.size()));
  }

  std::mt19937 random_;
};

std::vector<std::string> TextsOf(const std::vector<Setting>& settings) {
  std::vector<std::string> texts;
  for (const Setting& setting : settings) {
    if (!setting.path.empty()) texts.push_back(setting.Key() + "=" + cli::TextOf(setting.value));
  }
  return texts;
}

TEST(Settings, AWrittenConfigurationReadsBackEqual) {
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    Options options;
    auto settings = SettingsOf(options, SomePlugins());
    RandomSettings(seed).Fill(settings);
    const std::string yaml = ConfigYaml(options, SomePlugins());
    auto root = ParseYaml(yaml);
    ASSERT_TRUE(root.ok()) << seed << "\n" << root.status().message() << "\n" << yaml;
    Options other;
    auto other_settings = SettingsOf(other, SomePlugins());
    const auto places = ApplyConfig({"f", *std::move(root)}, other_settings);
    ASSERT_TRUE(places.ok()) << seed << "\n" << places.status().message() << "\n" << yaml;
    ASSERT_EQ(TextsOf(other_settings), TextsOf(settings)) << seed << "\n" << yaml;
    EXPECT_THAT(ChangedSettings(options, other, SomePlugins()), IsEmpty());
    EXPECT_TRUE(RawJson::Parse(ConfigJson(options, SomePlugins())).ok()) << seed;
  }
}

TEST(Settings, ADamagedFileIsReadOrRefusedWithAPosition) {
  const std::string whole = ConfigYaml(Options(), SomePlugins());
  std::mt19937 random(1);
  const auto below = [&](size_t end) { return random() % end; };
  const std::string pieces = "\n\t :-#[]{}&*!|>'\"%@`,?~<=0aé\\\x7f";
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = whole.substr(0, below(4) == 0 ? below(whole.size()) : whole.size());
    for (size_t damage = 1 + below(4); damage > 0; --damage) {
      const size_t at = below(text.size() + 1);
      switch (below(3)) {
        case 0:
          text.insert(at, 1, pieces[below(pieces.size())]);
          break;
        case 1:
          text.erase(at, 1 + below(3));
          break;
        default:
          text.insert(at, text.substr(below(text.size() + 1), below(40)));
      }
    }
    std::string error;
    if (auto root = ParseYaml(text)) {
      Options options;
      const auto settings = SettingsOf(options, SomePlugins());
      error = ApplyConfig({"f", *std::move(root)}, settings).status().message();
    } else {
      error = "f:" + root.status().message();
    }
    if (error.empty()) continue;
    ++refused;
    ASSERT_THAT(error, ::testing::ContainsRegex("^f:[0-9]+:[0-9]+: ")) << text;
  }
  EXPECT_GT(refused, 1000);
}

TEST(Settings, FlagsAndKeysAreUnique) {
  Options options;
  std::set<std::string> flags;
  std::set<std::string> keys;
  for (const Setting& setting : SettingsOf(options, SomePlugins())) {
    EXPECT_TRUE(setting.flag.empty() || flags.insert(setting.flag).second) << setting.flag;
    for (const std::string& other : setting.other_flags) {
      EXPECT_TRUE(flags.insert(other).second) << other;
    }
    EXPECT_TRUE(setting.path.empty() || keys.insert(setting.Key()).second) << setting.Key();
    EXPECT_FALSE(setting.usage.empty()) << setting.flag;
    EXPECT_FALSE(setting.section.empty()) << setting.flag;
  }
}

TEST(Settings, NoKeyIsAPrefixOfAnother) {
  Options options;
  const auto settings = SettingsOf(options, SomePlugins());
  for (const Setting& a : settings) {
    for (const Setting& b : settings) {
      if (&a == &b || a.path.empty() || a.path.size() >= b.path.size()) continue;
      EXPECT_FALSE(std::equal(a.path.begin(), a.path.end(), b.path.begin()))
          << a.Key() << " " << b.Key();
    }
  }
}

TEST(Settings, ChangesAreListedWithWhetherTheyNeedARestart) {
  Options before;
  Options after = before;
  after.controllers = {"-deployment-controller"};
  after.logging.verbosity = 4;
  after.logging.vmodule = "client=9";
  after.leader_election.lease_duration = 20s;
  std::vector<std::string> at_run_time;
  std::vector<std::string> at_restart;
  for (const ChangedSetting& changed : ChangedSettings(before, after, SomePlugins())) {
    (changed.at_run_time ? at_run_time : at_restart)
        .push_back(changed.flag + ":" + changed.before + ">" + changed.after);
  }
  EXPECT_THAT(at_run_time,
              ElementsAre("controllers:*>-deployment-controller", "v:0>4", "vmodule:>client=9"));
  EXPECT_THAT(at_restart, ElementsAre("leader-elect-lease-duration:15s>20s"));
}

TEST(Settings, PagesRedactPasswords) {
  Options options;
  options.master = "https://me:secret@host:6443/path@x";
  EXPECT_THAT(FlagValues(options, SomePlugins()),
              Contains(Pair("master", "https://***@host:6443/path@x")));
  EXPECT_THAT(ConfigJson(options, SomePlugins()),
              AllOf(HasSubstr("https://***@host:6443/path@x"), Not(HasSubstr("secret"))));
  const auto changed = ChangedSettings(Options(), options, SomePlugins());
  ASSERT_EQ(changed.size(), 1U);
  EXPECT_EQ(changed[0].after, "https://***@host:6443/path@x");
  // Output that is read again must contain the secret.
  EXPECT_THAT(ConfigYaml(options, SomePlugins()), HasSubstr("me:secret@"));
}

TEST(Settings, FlagsAreListedByName) {
  Options options;
  options.concurrent_syncs["deployment-controller"] = 9;
  const auto values = FlagValues(options, SomePlugins());
  EXPECT_THAT(values,
              AllOf(Contains(Pair("concurrent-deployment-syncs", "9")),
                    Contains(Pair("leader-elect", "true")), Contains(Pair("v", "0")),
                    Contains(Pair("authorization-always-allow-paths", "/healthz,/readyz,/livez"))));
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
}

TEST(Settings, TheJsonConfigurationHasTypedValues) {
  Options options;
  auto json = RawJson::Parse(ConfigJson(options, SomePlugins()));
  ASSERT_TRUE(json.ok()) << json.status().message();
  EXPECT_EQ(json->At("/apiVersion").text(), "\"capstan.dev/v1alpha1\"");
  EXPECT_EQ(json->At("/generic/leaderElection/leaderElect").text(), "true");
  EXPECT_EQ(json->At("/generic/leaderElection/leaseDuration").text(), "\"15s\"");
  EXPECT_EQ(json->At("/generic/controllers").text(), "[\"*\"]");
  EXPECT_EQ(json->At("/secureServing/securePort").text(), "10257");
  EXPECT_EQ(json->At("/featureGates/CoordinatedLeaderElection").text(), "false");
  EXPECT_EQ(json->At("/concurrentSyncs/deployment-controller").text(), "1");
}

}  // namespace
}  // namespace capstan::manager
