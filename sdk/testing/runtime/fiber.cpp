#include "runtime/fiber.h"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include <boost/context/detail/fcontext.hpp>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CAPSTAN_FIBER_ASAN
#endif
#if __has_feature(thread_sanitizer)
#define CAPSTAN_FIBER_TSAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define CAPSTAN_FIBER_ASAN
#endif
#if defined(__SANITIZE_THREAD__)
#define CAPSTAN_FIBER_TSAN
#endif

#if defined(CAPSTAN_FIBER_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
// Functions that run on a stack that is left for good must not touch its frames.
#define CAPSTAN_FIBER_BARE __attribute__((noinline, no_sanitize("address")))
#else
#define CAPSTAN_FIBER_BARE
#endif
#if defined(CAPSTAN_FIBER_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace capstan::testing {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

#if defined(CAPSTAN_FIBER_ASAN) || defined(CAPSTAN_FIBER_TSAN)
constexpr size_t kStackSize = size_t{1024} * 1024;
#else
constexpr size_t kStackSize = size_t{256} * 1024;
#endif

size_t GuardSize() {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return page;
}

char* MapStack() {
  void* memory = mmap(nullptr, GuardSize() + kStackSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, GuardSize(), PROT_NONE) != 0) {
    std::fprintf(stderr, "SimulatedRuntime: cannot allocate a stack\n");
    std::abort();
  }
  return static_cast<char*>(memory) + GuardSize();
}

// Unused stacks of all threads.
class StackPool {
 public:
  static StackPool& Instance() {
    static StackPool pool;
    return pool;
  }
  ~StackPool() {
    for (char* stack : stacks_) Unmap(stack);
  }

  char* Take() {
    {
      std::lock_guard lock(mutex_);
      if (!stacks_.empty()) {
        char* stack = stacks_.back();
        stacks_.pop_back();
        return stack;
      }
    }
    return MapStack();
  }
  void Give(char* stack) {
    std::unique_lock lock(mutex_);
    if (stacks_.size() < kMaxPooled) return stacks_.push_back(stack);
    lock.unlock();
    Unmap(stack);
  }

 private:
  static constexpr size_t kMaxPooled = 512;

  static void Unmap(char* stack) { munmap(stack - GuardSize(), GuardSize() + kStackSize); }

  std::mutex mutex_;
  std::vector<char*> stacks_;
};

}  // namespace

void Stack::Acquire() {
  bottom_ = StackPool::Instance().Take();
#if defined(CAPSTAN_FIBER_ASAN)
  // The last user of the stack left it without returning from its frames.
  ASAN_UNPOISON_MEMORY_REGION(bottom_, kStackSize);
#endif
}

void Stack::Release() {
  if (!bottom_) return;
  StackPool::Instance().Give(bottom_);
  bottom_ = nullptr;
}

size_t Stack::size() { return kStackSize; }

// The first function on a new stack.
struct Fiber::Arrival {
  static void Enter(transfer_t from) noexcept {
    Fiber* previous = static_cast<Fiber**>(from.data)[0];
    Fiber* self = static_cast<Fiber**>(from.data)[1];
    self->Arrive(*previous, from.fctx);
    self->entry_(self->argument_);
    std::abort();
  }
};

Fiber::Fiber() {
#if defined(CAPSTAN_FIBER_TSAN)
  race_detector_fiber_ = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(void (*entry)(void* argument), void* argument) : entry_(entry), argument_(argument) {
  stack_.Acquire();
  bottom_ = stack_.bottom();
  size_ = Stack::size();
  context_ = make_fcontext(stack_.bottom() + size_, size_, &Arrival::Enter);
#if defined(CAPSTAN_FIBER_TSAN)
  race_detector_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
  if (stack_.bottom()) Retire();
}

void Fiber::Retire() {
#if defined(CAPSTAN_FIBER_TSAN)
  __tsan_destroy_fiber(race_detector_fiber_);
#endif
  stack_.Release();
}

CAPSTAN_FIBER_BARE void Fiber::Leave(bool for_good, Fiber& next) {
  std::memcpy(static_cast<void*>(&exceptions_), abi::__cxa_get_globals(), sizeof exceptions_);
  finished_ = for_good;
  Fiber* way[] = {this, &next};
#if defined(CAPSTAN_FIBER_ASAN)
  __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_stack_, next.bottom_, next.size_);
#endif
#if defined(CAPSTAN_FIBER_TSAN)
  __tsan_switch_to_fiber(next.race_detector_fiber_, 0);
#endif
  const transfer_t from = jump_fcontext(next.context_, way);
  Arrive(*static_cast<Fiber**>(from.data)[0], from.fctx);
}

// Runs on the stack of this fiber after a switch to it.
CAPSTAN_FIBER_BARE void Fiber::Arrive(Fiber& previous, void* context) {
#if defined(CAPSTAN_FIBER_ASAN)
  __sanitizer_finish_switch_fiber(fake_stack_, &previous.bottom_, &previous.size_);
#endif
  std::memcpy(abi::__cxa_get_globals(), &exceptions_, sizeof exceptions_);
  previous.context_ = context;
  if (previous.finished_) previous.Retire();
}

void Fiber::SwitchTo(Fiber& next) { Leave(false, next); }

void Fiber::FinishInto(Fiber& next) {
  Leave(true, next);
  std::abort();
}

}  // namespace capstan::testing
