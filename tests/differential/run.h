#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "call_generator.h"
#include "known_differences.h"
#include "side.h"

namespace capstan::differential {

struct RunOptions {
  int calls = 3000;
  uint64_t seed = 1;
  int shown = 40;  // maximum number of disagreements printed in full
};

// Sends the same calls to both sides and prints the differences between the answers.
class Run {
 public:
  // The arguments are borrowed.
  Run(Side& left, Side& right, KnownDifferences& known, RunOptions options);

  // Whether all differences are known.
  bool Execute();

 private:
  struct WatchPair {
    Call call;
    std::unique_ptr<WatchRecorder> left, right;
  };

  void Prepare();
  void OpenWatches();
  void CompareWatches();
  void Try(const Call& call);
  // Whether there is an unknown difference. Counts and prints it.
  bool Judge(const Call& call, const std::vector<std::string>& differences, const Answer* left,
             const Answer* right);
  void Repair(const std::string& collection);
  bool Summarise() const;

  Side& left_;
  Side& right_;
  KnownDifferences& known_;
  const RunOptions options_;
  CallGenerator generator_;
  std::vector<WatchPair> watches_;
  // Collections whose objects were repaired since the watches were opened.
  std::set<std::string> repaired_;
  int agreed_ = 0, known_count_ = 0, unknown_count_ = 0;
  int watches_agreed_ = 0, watches_left_out_ = 0;
  int64_t events_agreed_ = 0;
  std::map<int, int> codes_;
  // The history of each object, one line per write.
  std::map<std::string, std::vector<std::string>> history_;
  std::map<std::string, int> classes_;  // unknown differences without their values
};

}  // namespace capstan::differential
