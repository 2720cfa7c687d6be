// Properties of the arithmetic: maxSurge and maxUnavailable, a step of a rolling update,
// proportions.

#include <gtest/gtest.h>

#include <numeric>

#include "builders.h"
#include "deployment/fenceposts.h"
#include "deployment/rolling_plan.h"
#include "plugins/property.h"

namespace capstan::deployment {
namespace {

using property::Check;
using property::Choices;

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

// Most numbers are small. Some are as large as the API allows.
int64_t AnyCount(Choices& choices, int64_t usual) {
  if (!choices.Chance(5)) return choices.Between(0, usual);
  return kMaxInt32 - choices.Between(0, 3);
}

std::string Text(const std::vector<int64_t>& numbers) {
  std::string text = "{";
  for (int64_t number : numbers) text += ' ' + std::to_string(number);
  return text + " }";
}

int64_t Sum(const std::vector<int64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), int64_t{0});
}

// --- fenceposts ---

api::IntOrString AnyLimit(Choices& choices, int64_t& value, bool& is_percentage) {
  is_percentage = choices.Chance(50);
  value = AnyCount(choices, is_percentage ? 250 : 12);
  if (!is_percentage) return {static_cast<int32_t>(value)};
  return {InternedString(std::to_string(value) + "%")};
}

// Surge is rounded up, unavailability down.
int64_t Resolved(int64_t value, bool is_percentage, int64_t replicas, bool up) {
  return is_percentage ? (value * replicas + (up ? 99 : 0)) / 100 : value;
}

TEST(FencepostProperties, FollowTheApiDocumentation) {
  Check(20'000, [](Choices& choices) -> std::string {
    const int64_t replicas = AnyCount(choices, 120);
    int64_t surge = 0;
    int64_t unavailable = 0;
    bool surge_percent = false;
    bool unavailable_percent = false;
    Deployment deployment = DeploymentOf(static_cast<int32_t>(replicas));
    const auto max_surge = AnyLimit(choices, surge, surge_percent);
    const auto max_unavailable = AnyLimit(choices, unavailable, unavailable_percent);
    SetLimits(deployment, max_surge, max_unavailable);

    const Fenceposts limits = ResolveFenceposts(deployment).value();
    const int64_t more = Resolved(surge, surge_percent, replicas, true);
    int64_t fewer = Resolved(unavailable, unavailable_percent, replicas, false);
    if (more == 0 && fewer == 0) fewer = 1;
    if (limits.max_surge == std::min(more, kMaxInt32 - replicas) &&
        limits.max_unavailable == std::min(fewer, replicas)) {
      return "";
    }
    return std::to_string(replicas) + " replicas, maxSurge " + max_surge.ToString() +
           ", maxUnavailable " + max_unavailable.ToString() + " are taken for " +
           Text({limits.max_surge, limits.max_unavailable});
  });
}

TEST(FencepostProperties, AlwaysLeaveRoomForProgress) {
  Check(20'000, [](Choices& choices) -> std::string {
    Deployment deployment = DeploymentOf(static_cast<int32_t>(choices.Between(1, 500)));
    int64_t value = 0;
    bool is_percentage = false;
    const auto surge = AnyLimit(choices, value, is_percentage);
    SetLimits(deployment, surge, AnyLimit(choices, value, is_percentage));
    const Fenceposts limits = ResolveFenceposts(deployment).value();
    return limits.max_surge + limits.max_unavailable > 0 ? "" : "both are zero";
  });
}

TEST(FencepostProperties, AcceptExactlyPercentages) {
  Check(20'000, [](Choices& choices) -> std::string {
    std::string text;
    for (uint64_t i = choices.Upto(6); i > 0; --i) {
      text += choices.Pick({'1', '0', '9', '%', '-', '+', ' ', '.', 'x', '\0'});
    }
    const size_t digits = text.find_first_not_of("0123456789");
    const bool is_percentage = digits != 0 && digits < text.size() && text.substr(digits) == "%";
    const bool is_signed = !text.empty() && (text[0] == '-' || text[0] == '+');
    if (is_signed) return "";  // the server rejects them; parsing them is tested elsewhere
    Deployment deployment = DeploymentOf(10);
    SetLimits(deployment, api::IntOrString(InternedString(text)), 1);
    const auto limits = ResolveFenceposts(deployment);
    if (limits.ok() != is_percentage) return "it misreads \"" + text + "\"";
    return limits || limits.status().IsTerminal() ? "" : "the error asks for another try";
  });
}

// --- one step of a rolling update ---

RollingInput AnyRollingInput(Choices& choices) {
  RollingInput input;
  input.desired = AnyCount(choices, 20);
  input.limits.max_surge = std::min(AnyCount(choices, 6), kMaxInt32 - input.desired);
  input.limits.max_unavailable = std::min(AnyCount(choices, 6), input.desired);
  if (input.limits.max_surge + input.limits.max_unavailable == 0) {
    input.limits.max_unavailable = std::min<int64_t>(1, input.desired);
  }
  const auto any_set = [&]() -> SetSize {
    const int64_t replicas = AnyCount(choices, 12);
    // A status may lag behind a scale-down, or be invalid.
    if (choices.Chance(2)) return {replicas, -choices.Between(0, kMaxInt32)};
    const int64_t available =
        choices.Chance(10) ? AnyCount(choices, 20) : choices.Between(0, replicas);
    return {replicas, available};
  };
  input.fresh = any_set();
  for (uint64_t i = choices.Upto(4); i > 0; --i) input.old.push_back(any_set());
  return input;
}

std::string Text(const RollingInput& input, const RollingPlan& plan) {
  const auto text = [](const SetSize& set) {
    return " " + std::to_string(set.available) + "/" + std::to_string(set.replicas);
  };
  std::string all = std::to_string(input.desired) + " desired, at most " +
                    std::to_string(input.limits.max_surge) + " more or " +
                    std::to_string(input.limits.max_unavailable) + " fewer available; new" +
                    text(input.fresh) + ", old";
  for (const SetSize& set : input.old) all += text(set);
  return all + " -> new " + std::to_string(plan.fresh) + ", old " + Text(plan.without_unhealthy) +
         " " + Text(plan.old);
}

TEST(RollingProperties, NoStepExceedsTheSurge) {
  Check(50'000, [](Choices& choices) -> std::string {
    const RollingInput input = AnyRollingInput(choices);
    const RollingPlan plan = PlanRolling(input);
    int64_t before = input.fresh.replicas;
    for (const SetSize& set : input.old) before += set.replicas;
    const int64_t after = plan.fresh + Sum(plan.old);
    const int64_t most = std::max(before, input.desired + input.limits.max_surge);
    return after <= most ? "" : "the sum grows too much: " + Text(input, plan);
  });
}

TEST(RollingProperties, OldReplicaSetsOnlyShrinkAndTheNewOneApproachesItsTarget) {
  Check(50'000, [](Choices& choices) -> std::string {
    const RollingInput input = AnyRollingInput(choices);
    const RollingPlan plan = PlanRolling(input);
    bool right = plan.fresh >= std::min(input.fresh.replicas, input.desired) &&
                 plan.fresh <= input.desired && plan.old.size() == input.old.size() &&
                 plan.without_unhealthy.size() == input.old.size();
    for (size_t i = 0; right && i < input.old.size(); ++i) {
      right = 0 <= plan.old[i] && plan.old[i] <= plan.without_unhealthy[i] &&
              plan.without_unhealthy[i] <= input.old[i].replicas &&
              // only one step at a time
              (plan.fresh == input.fresh.replicas || plan.old[i] == input.old[i].replicas);
    }
    return right ? "" : "a size changes in the wrong direction: " + Text(input, plan);
  });
}

// The pods that a set keeps are the available ones, because its controller deletes others first.
int64_t Kept(const SetSize& set, int64_t replicas) {
  return std::clamp<int64_t>(set.available, 0, replicas);
}

TEST(RollingProperties, NoStepGoesBelowMinAvailable) {
  Check(50'000, [](Choices& choices) -> std::string {
    const RollingInput input = AnyRollingInput(choices);
    const RollingPlan plan = PlanRolling(input);
    if (plan.fresh < input.fresh.replicas) return "";  // the user asked for fewer
    int64_t before = Kept(input.fresh, input.fresh.replicas);
    int64_t after = before;
    for (size_t i = 0; i < input.old.size(); ++i) {
      before += Kept(input.old[i], input.old[i].replicas);
      after += Kept(input.old[i], plan.old[i]);
    }
    const int64_t least = std::min(before, input.desired - input.limits.max_unavailable);
    return after >= least ? "" : "too few stay available: " + Text(input, plan);
  });
}

TEST(RollingProperties, EveryRolloutEndsOncePodsBecomeAvailable) {
  Check(20'000, [](Choices& choices) -> std::string {
    RollingInput input = AnyRollingInput(choices);
    const RollingInput start = input;
    if (input.desired > 100) return "";  // it terminates, but takes too long
    for (const SetSize& set : input.old)
      if (set.replicas > 100) return "";
    for (int step = 0; step < 200; ++step) {
      const RollingPlan plan = PlanRolling(input);
      bool moves = plan.fresh != input.fresh.replicas || plan.fresh != input.fresh.available;
      input.fresh = {plan.fresh, plan.fresh};
      for (size_t i = 0; i < plan.old.size(); ++i) {
        const SetSize seen{plan.old[i], std::min(input.old[i].available, plan.old[i])};
        moves = moves || seen.replicas != input.old[i].replicas ||
                seen.available != input.old[i].available;
        input.old[i] = seen;
      }
      if (moves) continue;
      const bool done = plan.fresh == input.desired && Sum(plan.old) == 0;
      return done ? "" : "it makes no progress: " + Text(start, PlanRolling(start));
    }
    return "it needs too many steps: " + Text(start, PlanRolling(start));
  });
}

// --- proportions ---

ProportionInput AnyProportionInput(Choices& choices) {
  ProportionInput input;
  input.desired = AnyCount(choices, 100);
  input.max_surge = std::min(AnyCount(choices, 20), kMaxInt32 - input.desired);
  input.status_replicas = AnyCount(choices, 60);
  for (uint64_t i = choices.Between(1, 6); i > 0; --i) {
    input.sets.push_back({std::max<int64_t>(1, AnyCount(choices, 40)), std::nullopt});
  }
  return input;
}

std::vector<int64_t> SizesOf(const ProportionInput& input) {
  std::vector<int64_t> sizes;
  for (const ProportionalSet& set : input.sets) sizes.push_back(set.replicas);
  return sizes;
}

int64_t AllowedOf(const ProportionInput& input) {
  return input.desired > 0 ? input.desired + input.max_surge : 0;
}

std::string Text(const ProportionInput& input, const std::vector<int64_t>& sizes) {
  std::vector<int64_t> maxima;
  for (const ProportionalSet& set : input.sets) maxima.push_back(set.max_replicas.value_or(-1));
  return std::to_string(input.desired) + "+" + std::to_string(input.max_surge) +
         " desired, status.replicas " + std::to_string(input.status_replicas) + ", sizes " +
         Text(SizesOf(input)) + " of at most " + Text(maxima) + " -> " + Text(sizes);
}

// The sum of the sizes, and the error of each share. Rounding changes each set by at most half a
// pod, and the rest goes to one set. So with three sets or fewer each is within one pod of its
// share. If the rest to be removed exceeds the largest set, that set becomes empty and the sum
// stays too large, as in the reference. The rollout then continues from there.
TEST(ProportionProperties, PreserveTheSumAndDistributeItBySize) {
  Check(50'000, [](Choices& choices) -> std::string {
    ProportionInput input = AnyProportionInput(choices);
    const int64_t total = Sum(SizesOf(input));
    if (total > kMaxInt32) return "";  // no annotation has such a number
    for (ProportionalSet& set : input.sets) set.max_replicas = total;
    const std::vector<int64_t> sizes = Proportions(input);
    const int64_t allowed = AllowedOf(input);
    const int64_t others = static_cast<int64_t>(sizes.size()) - 1;
    const int64_t most = *std::max_element(sizes.begin(), sizes.end());
    const bool rounds_to_nothing = most <= 1 && Sum(sizes) > allowed && Sum(sizes) <= total;
    if (Sum(sizes) != allowed && !rounds_to_nothing)
      return "the sum is wrong: " + Text(input, sizes);
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] < 0) return "a size is negative: " + Text(input, sizes);
      // Multiplied by `total`, so that it is exact.
      const int64_t error = std::abs(sizes[i] * total - input.sets[i].replicas * allowed);
      if (2 * error > std::max<int64_t>(2, others) * total) {
        return "a share is wrong: " + Text(input, sizes);
      }
    }
    return "";
  });
}

// Arbitrary values in the annotations, set independently of each other.
ProportionInput AnyTamperedInput(Choices& choices) {
  ProportionInput input = AnyProportionInput(choices);
  for (ProportionalSet& set : input.sets) {
    if (choices.Chance(70)) set.max_replicas = AnyCount(choices, 40);
  }
  return input;
}

TEST(ProportionProperties, StayWithinThirtyTwoBits) {
  Check(50'000, [](Choices& choices) -> std::string {
    const ProportionInput input = AnyTamperedInput(choices);
    const std::vector<int64_t> sizes = Proportions(input);
    for (int64_t size : sizes) {
      if (size < 0 || size > kMaxInt32) return "a size is out of range: " + Text(input, sizes);
    }
    return sizes.size() == input.sets.size() ? "" : "a set is missing";
  });
}

TEST(ProportionProperties, GrowToExactlyTheSurgeWithAnyAnnotations) {
  Check(50'000, [](Choices& choices) -> std::string {
    const ProportionInput input = AnyTamperedInput(choices);
    if (Sum(SizesOf(input)) > AllowedOf(input)) return "";
    const std::vector<int64_t> sizes = Proportions(input);
    return Sum(sizes) == AllowedOf(input) ? "" : "the sum is wrong: " + Text(input, sizes);
  });
}

// Scaling down also uses the annotations. When they contradict each other, the reference returns
// more than it should. The next steps correct this.
TEST(ProportionProperties, ShrinkToNoLessThanTheSurge) {
  Check(50'000, [](Choices& choices) -> std::string {
    const ProportionInput input = AnyTamperedInput(choices);
    if (Sum(SizesOf(input)) < AllowedOf(input)) return "";
    const std::vector<int64_t> sizes = Proportions(input);
    return Sum(sizes) >= AllowedOf(input) ? "" : "the sum is wrong: " + Text(input, sizes);
  });
}

}  // namespace
}  // namespace capstan::deployment
