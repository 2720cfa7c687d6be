// Checks docs/metrics.md against the code: the names in the sources, and all exported metrics.

#include <capstan/testing/simulated_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <stop_token>
#include <string>
#include <utility>

#include <capstan/metrics/metrics.h>

#include "config/build_info.h"
#include "config/metrics_options.h"
#include "manager/fake_api_server.h"
#include "pages/health.h"
#include "plugins/plugin_catalog.h"
#include "plugins/plugin_loader.h"
#include "process/process.h"
#include "support/paths.h"

namespace capstan::manager {
namespace {

namespace fs = std::filesystem;
using ::testing::IsSupersetOf;

const fs::path kRepository = tests::RepositoryFolder();

std::string TextOf(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct MetricLine {
  std::string type;
  std::set<std::string> labels;
  friend bool operator==(const MetricLine&, const MetricLine&) = default;
  friend void PrintTo(const MetricLine& line, std::ostream* out) {
    *out << line.type;
    for (const std::string& label : line.labels) *out << " " << label;
  }
};
using MetricTable = std::map<std::string, MetricLine>;

std::set<std::string> NamesOf(const MetricTable& table) {
  std::set<std::string> names;
  for (const auto& [name, line] : table) names.insert(name);
  return names;
}

std::set<std::string> MatchesIn(const std::string& text, const std::regex& pattern) {
  std::set<std::string> matches;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    matches.insert((*match)[1].str());
  }
  return matches;
}

MetricTable DocumentedMetrics() {
  static const std::regex line(R"(\| `([a-z_]+)` \| (\w+) \| ([^|]*)\| (yes|no) \| [^|]+ \|)");
  MetricTable table;
  std::istringstream document(TextOf(kRepository / "docs/metrics.md"));
  for (std::string text; std::getline(document, text);) {
    if (!text.starts_with("| `")) continue;
    std::smatch parts;
    EXPECT_TRUE(std::regex_match(text, parts, line)) << text;
    if (parts.empty()) continue;
    const bool is_new =
        table
            .try_emplace(parts[1],
                         MetricLine{parts[2], MatchesIn(parts[3], std::regex("`(\\w+)`"))})
            .second;
    EXPECT_TRUE(is_new) << text;
  }
  return table;
}

// Names in the code of the process, excluding test code.
std::set<std::string> NamesInSources() {
  static const std::regex registration(
      R"re(\b(?:NewCounter|NewGauge|NewHistogram|NewGaugeFunction|RegisterGaugeFunction)re"
      R"re(|NewLatency|NewSize|gauge|Append|CountAttempt)\(\s*(?:families,\s*MetricType::\w+,\s*)?"(\w+)")re");
  std::set<std::string> names;
  for (const char* folder : {"base", "sdk/src", "manager/src", "plugins"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRepository / folder)) {
      const fs::path& file = entry.path();
      if (file.extension() != ".cpp" && file.extension() != ".h") continue;
      const std::string text = TextOf(file);
      names.merge(MatchesIn(text, registration));
      // Both metrics of each kind of review.
      for (const std::string& prefix :
           MatchesIn(text, std::regex("\"(apiserver_delegated_\\w+)\""))) {
        names.insert({prefix + "_request_total", prefix + "_request_duration_seconds"});
      }
    }
  }
  return names;
}

// Adds the metrics in the text of a scrape.
void AddExported(const std::string& scrape, MetricTable& table) {
  static const std::regex label(R"re((\w+)="(?:[^"\\]|\\.)*")re");
  std::istringstream lines(scrape);
  std::string family;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) {
      std::istringstream words(line.substr(7));
      words >> family;
      words >> table[family].type;
    } else if (!line.starts_with("#") && line.find('{') != std::string::npos) {
      std::set<std::string> labels = MatchesIn(line.substr(line.find('{')), label);
      labels.erase("le");
      table[family].labels.merge(labels);
    }
  }
}

// A leading process with the plugins of this repository.
class MetricsTable : public ::testing::Test {
 protected:
  MetricsTable() {
    options_.master = "http://api";
    options_.serving.secure_port = 0;
    const auto catalog = ReadPluginCatalog(tests::PluginFolder());
    EXPECT_TRUE(catalog.ok()) << catalog.status().ToString();
    if (!catalog) return;
    for (const PluginManifest& manifest : catalog->plugins) {
      auto plugin = LoadPlugin(manifest);
      EXPECT_TRUE(plugin.ok()) << plugin.status().ToString();
      if (plugin) plugins_.push_back(*std::move(plugin));
    }
  }
  ~MetricsTable() override {
    stop_.request_stop();
    if (thread_) thread_->Join();
  }

  void Lead() {
    thread_ = runtime_.Start("process", [this] {
      const Dependencies dependencies{
          .runtime = runtime_,
          .metrics = metrics_,
          .new_transport = [this](const RestConfig&,
                                  Runtime&) -> Result<std::unique_ptr<Transport>> {
            return std::unique_ptr<Transport>(std::make_unique<FakeTransport>(server_));
          },
          .exit_at_once = [](int) { ADD_FAILURE() << "a worker did not stop"; }};
      PluginSelection selection(plugins_);
      (void)manager::Run(options_, selection, dependencies, stop_.get_token());
    });
    runtime_.AdvanceBy(std::chrono::seconds(5));
  }

  capstan::testing::SimulatedRuntime runtime_;
  FakeApiServer server_{runtime_};
  MetricsRegistry metrics_;
  Options options_;
  std::vector<LoadedPlugin> plugins_;
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;
};

TEST_F(MetricsTable, ListsExactlyTheMetricsInTheSources) {
  EXPECT_EQ(NamesOf(DocumentedMetrics()), NamesInSources());
}

TEST_F(MetricsTable, ListsTypeAndLabelsOfAllExportedMetrics) {
  ApplyMetricsOptions({.disabled_metrics = {},
                       .allow_metric_labels = {"capstan_reconcile_total,result=success"},
                       .allow_metric_labels_manifest = {},
                       .show_hidden_metrics_for_version = {}},
                      metrics_);
  ExportBuildInfo(metrics_);
  Lead();
  HealthPages health;
  health.Define("healthz", [] { return std::vector<HealthCheck>(); });
  http::Mux mux;
  health.AddSlisTo(mux);

  MetricTable exported;
  AddExported(metrics_.Serialize(), exported);
  AddExported(DefaultMetrics().Serialize(), exported);
  AddExported(mux.Serve({.path = "/metrics/slis", .query = {}}).body, exported);
  EXPECT_THAT(
      NamesOf(exported),
      IsSupersetOf({"workqueue_depth", "rest_client_requests_total", "reflector_lists_total",
                    "leader_election_master_status", "running_managed_controllers",
                    "kubernetes_healthcheck", "replicaset_controller_sorting_deletion_age_ratio"}));
  const MetricTable documented = DocumentedMetrics();
  for (const auto& [name, line] : exported) {
    const auto found = documented.find(name);
    ASSERT_TRUE(found != documented.end()) << name << " has no line in docs/metrics.md";
    EXPECT_EQ(line, found->second) << name;
  }
}

}  // namespace
}  // namespace capstan::manager
