#include <capstan/runtime/contention.h>

#include <execinfo.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include <capstan/runtime/format.h>
#include <capstan/runtime/mutex.h>

#include "base/io/whole_file.h"

namespace capstan {
namespace {

constexpr int kDeepest = 32;
constexpr size_t kMostStacks = 4096;

struct Waits {
  int64_t nanoseconds = 0;
  int64_t count = 0;
};
using Stack = std::vector<void*>;

// A std::mutex, because a capstan::Mutex would report itself.
struct Table {
  std::mutex mutex;
  std::map<Stack, Waits> waits;
};

constinit std::atomic<bool> is_on{false};

// Never destroyed: threads may wait while the process exits.
Table& Waited() {
  static auto* const table = new Table;
  return *table;
}

void Note(Stack stack, int64_t nanoseconds) {
  Table& table = Waited();
  const std::lock_guard lock(table.mutex);
  if (table.waits.size() >= kMostStacks && !table.waits.contains(stack)) stack.clear();
  Waits& waits = table.waits[stack];
  waits.nanoseconds += nanoseconds;
  ++waits.count;
}

}  // namespace

void Mutex::LockContended() {
  if (!is_on.load(std::memory_order_relaxed)) return mutex_.lock();
  const auto begin = std::chrono::steady_clock::now();
  mutex_.lock();
  const auto waited = std::chrono::steady_clock::now() - begin;
  std::array<void*, kDeepest> frames;
  const int depth = backtrace(frames.data(), kDeepest);
  // The first frame is that of this function.
  Note(depth > 1 ? Stack(frames.begin() + 1, frames.begin() + depth) : Stack(),
       std::chrono::nanoseconds(waited).count());
}

void EnableContentionProfile() {
  std::array<void*, 1> frame;
  (void)backtrace(frame.data(), 1);  // loads its library now, not under a caller's lock
  (void)Waited();
  is_on = true;
}

bool IsContentionProfiled() { return is_on; }

std::string ContentionProfile() {
  std::map<Stack, Waits> waits;
  {
    Table& table = Waited();
    const std::lock_guard lock(table.mutex);
    waits = table.waits;
  }
  std::string text = "--- contention:\ncycles/second = 1000000000\nsampling period = 1\n";
  for (const auto& [stack, waited] : waits) {
    text += Format("{} {} @", waited.nanoseconds, waited.count);
    for (void* const frame : stack) {
      text += Format(" {:#x}", reinterpret_cast<uintptr_t>(frame));
    }
    text += '\n';
  }
  text += "\n--- Memory map: ---\n";
  if (const auto maps = io::ReadWholeFile("/proc/self/maps")) text += *maps;
  return text;
}

}  // namespace capstan
