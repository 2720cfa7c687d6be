#include "run.h"

#include <stdexcept>
#include <string_view>
#include <vector>

#include "comparison.h"
#include "replay.h"
#include "vector.h"

namespace capstan::vectors {
namespace {

constexpr int kMostShown = 20;

std::vector<std::string> DifferencesOf(const Vector& vector, Replay& replay) {
  const Result<Replayed> replayed = replay.Run(vector);
  if (!replayed) return {"replay: " + replayed.status().ToString() + " | possible"};
  std::vector<std::string> found = Differences(vector.before, replayed->ours, replayed->theirs);
  if (!replayed->error.ok() && (!found.empty() || vector.error.empty())) {
    found.push_back("error: " + replayed->error.ToString() + " | " +
                    (vector.error.empty() ? "none" : vector.error));
  }
  return found;
}

class Runner {
 public:
  Runner(const RunOptions& options, differential::KnownDifferences& known, std::ostream& out)
      : options_(options), known_(known), out_(out) {}

  // The number of replayed vectors.
  int RunAll(const std::string& controller) {
    int count = 0;
    int agree = 0;
    int known = 0;
    const Status read =
        ReadVectors(options_.folder / (controller + ".jsonl.gz"), [&](const Vector& vector) {
          if (options_.id && *options_.id != vector.id) return;
          if (vector.id % options_.every != 0) return;
          ++count;
          const std::vector<std::string> found = DifferencesOf(vector, replay_);
          if (found.empty()) {
            ++agree;
          } else if (IsKnown(vector, found)) {
            ++known;
          } else {
            Report(vector, found);
          }
        });
    if (!read.ok()) throw std::runtime_error(read.ToString());
    out_ << controller << ": " << agree << " of " << count << " agree\n";
    if (known > 0) out_ << controller << ": " << known << " differ on purpose\n";
    return count;
  }

  int disagreements() const { return disagreements_; }

 private:
  static std::string NameOf(const Vector& vector) {
    return vector.controller + " " + std::to_string(vector.id);
  }
  bool IsKnown(const Vector& vector, const std::vector<std::string>& found) {
    bool all = true;
    for (const std::string& difference : found) {
      all = known_.Covers(NameOf(vector) + ": " + difference) && all;
    }
    return all;
  }
  void Report(const Vector& vector, const std::vector<std::string>& found) {
    if (++disagreements_ > kMostShown && !options_.all) return;
    out_ << NameOf(vector) << ": " << found.front() << "\n";
    for (size_t i = 1; options_.verbose && i < found.size(); ++i)
      out_ << "    " << found[i] << "\n";
    if (!options_.verbose && found.size() > 1) {
      out_ << "    and " << found.size() - 1 << " more\n";
    }
  }

  const RunOptions& options_;
  differential::KnownDifferences& known_;
  std::ostream& out_;
  Replay replay_;
  int disagreements_ = 0;
};

}  // namespace

bool Run(const RunOptions& options, differential::KnownDifferences& known, std::ostream& out) {
  Runner runner(options, known, out);
  int count = 0;
  for (const char* controller : {"deployment", "replicaset"}) {
    if (options.controller.empty() || options.controller == controller) {
      count += runner.RunAll(controller);
    }
  }
  if (count == 0) throw std::runtime_error("unknown vector");
  bool right = runner.disagreements() == 0;
  const bool whole =
      options.is_own && options.controller.empty() && !options.id && options.every == 1;
  if (!whole) return right;
  for (const std::string& unused : known.Unused()) {
    out << "differences.txt: this no longer occurs: " << unused << "\n";
    right = false;
  }
  return right;
}

}  // namespace capstan::vectors
