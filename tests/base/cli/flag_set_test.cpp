#include "base/cli/flag_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace capstan::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class FlagSetTest : public ::testing::Test {
 protected:
  FlagSetTest() {
    flags_.BeginSection("First");
    flags_.AddString("kubeconfig", &text_, "A file.");
    flags_.AddBool("leader-elect", &yes_, "Whether there is an election.");
    flags_.AddBool("help", &no_, "Help.");
    flags_.AlsoAs('h');
    flags_.AddInt("v", &number_, "Verbosity.");
    flags_.AlsoAs('v');
    flags_.BeginSection("Second");
    flags_.AddDuration("retry-period", &duration_, "A time.");
    flags_.AddDouble("qps", &rate_, "A rate.");
    flags_.AddList("controllers", &list_, "Names.");
    flags_.AddStringOrBare("version", &version_, "true", "The version.");
  }

  Status Parse(std::vector<std::string> arguments) { return flags_.Parse(arguments); }
  std::string ErrorOf(std::vector<std::string> arguments) {
    return flags_.Parse(arguments).message();
  }

  std::string text_ = "default";
  bool yes_ = true;
  bool no_ = false;
  int number_ = 0;
  Duration duration_ = 2s;
  double rate_ = 20;
  std::vector<std::string> list_{"*"};
  std::string version_;
  FlagSet flags_;
};

TEST_F(FlagSetTest, ReadsAValueAfterEqualsOrFromTheNextArgument) {
  ASSERT_TRUE(Parse({"--kubeconfig=a=b", "--retry-period", "1m30s", "--qps=2.5"}).ok());
  EXPECT_EQ(text_, "a=b");
  EXPECT_EQ(duration_, 90s);
  EXPECT_EQ(rate_, 2.5);
}

TEST_F(FlagSetTest, ReadsTheVerbosityInEverySpelling) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"-v", "4"}, {"-v=4"}, {"-v4"}, {"--v=4"}, {"--v", "4"}}) {
    number_ = 0;
    ASSERT_TRUE(Parse(arguments).ok()) << arguments[0];
    EXPECT_EQ(number_, 4) << arguments[0];
  }
}

TEST_F(FlagSetTest, ABoolTakesAValueOnlyAfterEquals) {
  ASSERT_TRUE(Parse({"--leader-elect=false", "-h"}).ok());
  EXPECT_FALSE(yes_);
  EXPECT_TRUE(no_);
  EXPECT_THAT(ErrorOf({"--leader-elect", "false"}), HasSubstr("unexpected argument \"false\""));
}

TEST_F(FlagSetTest, AnEmptyStringIsAValue) {
  ASSERT_TRUE(Parse({"--kubeconfig=", "--controllers="}).ok());
  EXPECT_EQ(text_, "");
  EXPECT_THAT(list_, IsEmpty());
  EXPECT_EQ(ErrorOf({"--retry-period="}),
            "flag --retry-period: \"\" is not a duration such as 15s, 1m30s or 500ms");
}

TEST_F(FlagSetTest, AListFlagReplacesItsDefaultAndRepetitionsAppend) {
  ASSERT_TRUE(Parse({"--controllers=a,-b", "--controllers", "*"}).ok());
  EXPECT_THAT(list_, ElementsAre("a", "-b", "*"));
}

TEST_F(FlagSetTest, TheNextArgumentIsTheValueEvenIfItLooksLikeAFlag) {
  ASSERT_TRUE(Parse({"--controllers", "-foo", "--kubeconfig", "--v"}).ok());
  EXPECT_THAT(list_, ElementsAre("-foo"));
  EXPECT_EQ(text_, "--v");
}

TEST_F(FlagSetTest, UnderscoresAreReadAsDashes) {
  ASSERT_TRUE(Parse({"--retry_period=3s"}).ok());
  EXPECT_EQ(duration_, 3s);
}

TEST_F(FlagSetTest, UnknownNamesAreRefusedWithTheNearestName) {
  EXPECT_EQ(ErrorOf({"--contr=x"}), "unknown flag --contr; see --help");
  EXPECT_EQ(ErrorOf({"--controlers=x"}), "unknown flag --controlers; did you mean --controllers?");
  EXPECT_EQ(ErrorOf({"--leader-elct"}), "unknown flag --leader-elct; did you mean --leader-elect?");
  EXPECT_EQ(ErrorOf({"-x"}), "unknown flag -x in \"-x\"; see --help");
}

TEST_F(FlagSetTest, AMissingOrInvalidValueIsAnErrorThatNamesTheFlag) {
  EXPECT_EQ(ErrorOf({"--kubeconfig"}), "flag --kubeconfig: needs a value");
  EXPECT_EQ(ErrorOf({"-v"}), "flag -v: needs a value");
  EXPECT_EQ(ErrorOf({"--v=four"}), "flag --v: \"four\" is not a whole number");
  EXPECT_EQ(ErrorOf({"--v=4x"}), "flag --v: \"4x\" is not a whole number");
  EXPECT_EQ(ErrorOf({"--qps=fast"}), "flag --qps: \"fast\" is not a number");
  EXPECT_EQ(ErrorOf({"--leader-elect=maybe"}),
            "flag --leader-elect: \"maybe\" is not true or false");
  EXPECT_EQ(number_, 0);
}

TEST_F(FlagSetTest, PositionalArgumentsAreRefusedByDefault) {
  EXPECT_EQ(ErrorOf({"run"}), "unexpected argument \"run\"; see --help");
  EXPECT_EQ(ErrorOf({"--", "run"}), "unexpected argument \"run\"; see --help");
  EXPECT_TRUE(Parse({"--"}).ok());
}

TEST_F(FlagSetTest, PositionalArgumentsAreCollectedOnRequest) {
  std::vector<std::string> others;
  ASSERT_TRUE(flags_.Parse({"why", "--kubeconfig", "k", "-", "-v4", "--", "--help"}, others).ok());
  EXPECT_THAT(others, ElementsAre("why", "-", "--help"));
  EXPECT_EQ(text_, "k");
  EXPECT_EQ(number_, 4);
  EXPECT_FALSE(no_);
  EXPECT_FALSE(flags_.Parse({"why", "--wat"}, others).ok());
}

TEST_F(FlagSetTest, AFlagWithAnImplicitValueNeedsNoValue) {
  ASSERT_TRUE(Parse({"--version"}).ok());
  EXPECT_EQ(version_, "true");
  ASSERT_TRUE(Parse({"--version=raw"}).ok());
  EXPECT_EQ(version_, "raw");
}

TEST_F(FlagSetTest, ParseKnownSkipsUnknownFlags) {
  flags_.ParseKnown({"--unknown", "x", "--kubeconfig=k", "stray", "-v", "3", "--qps=fast", "--",
                     "--kubeconfig=no"});
  EXPECT_EQ(text_, "k");
  EXPECT_EQ(number_, 3);
  EXPECT_EQ(rate_, 20);
}

TEST_F(FlagSetTest, AFlagCanHaveAliases) {
  int port = 0;
  flags_.AddInt("metrics-port", &port, "A port.");
  flags_.AlsoAs("metricsPort");
  ASSERT_TRUE(Parse({"--metricsPort=7"}).ok());
  EXPECT_EQ(port, 7);
  EXPECT_TRUE(flags_.WasGiven("metrics-port"));
  EXPECT_FALSE(flags_.WasGiven("qps"));
  EXPECT_EQ(ErrorOf({"--metricsport=7"}),
            "unknown flag --metricsport; did you mean --metrics-port?");
  EXPECT_THAT(flags_.Help(80), HasSubstr("A port. Also --metricsPort. (default 0)"));
}

TEST_F(FlagSetTest, ARefusedFlagReportsTheReason) {
  flags_.AddRefused("cloud-provider", "not here", "");
  flags_.AddRefused("port-sharing", "not supported", "false");
  EXPECT_EQ(ErrorOf({"--cloud-provider", "x"}), "flag --cloud-provider: not here");
  EXPECT_EQ(ErrorOf({"--cloud_provider="}), "flag --cloud-provider: not here");
  EXPECT_EQ(ErrorOf({"--port-sharing"}), "flag --port-sharing: not supported");
  EXPECT_TRUE(Parse({"--port-sharing=false"}).ok());
  EXPECT_EQ(ErrorOf({"--cloud-provide=x"}),
            "unknown flag --cloud-provide; did you mean --cloud-provider?");
  EXPECT_EQ(flags_.Help(80).find("cloud-provider"), std::string::npos);
}

TEST_F(FlagSetTest, ARepeatedValueIsNotSplit) {
  std::vector<std::string> pairs{"default"};
  flags_.Add("sni", RepeatedValue{&pairs}, "Pairs.");
  ASSERT_TRUE(Parse({"--sni=a,b:x,y", "--sni", "c,d"}).ok());
  EXPECT_THAT(pairs, ElementsAre("a,b:x,y", "c,d"));
}

TEST_F(FlagSetTest, KeysAndValuesAreSplitOutsideQuotesOnly) {
  std::vector<std::string> pairs;
  flags_.Add("labels", PairsValue{&pairs}, "Pairs.");
  ASSERT_TRUE(Parse({"--labels=m,a=1,2", R"(--labels="m,b=1","m,c=2,3")"}).ok());
  EXPECT_THAT(pairs, ElementsAre("m,a=1,2", "m,b=1", "m,c=2,3"));
  EXPECT_EQ(ErrorOf({"--labels=m"}), "flag --labels: \"m\" is not key=value");
}

TEST_F(FlagSetTest, ANumberMustBeFinite) {
  for (const char* text : {"nan", "inf", "-inf", "1e999"}) {
    EXPECT_THAT(ErrorOf({std::string("--qps=") + text}), HasSubstr("is not a number")) << text;
  }
  EXPECT_EQ(rate_, 20);
}

TEST_F(FlagSetTest, HelpShowsSectionsAndDefaults) {
  const std::string help = flags_.Help(80);
  EXPECT_THAT(help, HasSubstr("First flags:\n\n"));
  EXPECT_THAT(help, HasSubstr("\nSecond flags:\n\n"));
  EXPECT_THAT(help, HasSubstr("      --kubeconfig string\n"));
  EXPECT_THAT(help, HasSubstr("A file. (default \"default\")"));
  EXPECT_THAT(help, HasSubstr("  -v, --v int\n"));
  EXPECT_THAT(help, HasSubstr("A time. (default 2s)"));
  EXPECT_THAT(help, HasSubstr("(default [*])"));
  EXPECT_THAT(help, HasSubstr("(default true)"));
  EXPECT_LT(help.find("--kubeconfig"), help.find("--retry-period"));
}

TEST(FlagSet, HelpIsWrappedAtTheWidth) {
  std::string value;
  FlagSet flags;
  flags.BeginSection("Some");
  flags.AddString("x", &value, std::string(50, 'w') + " one two three four five six seven eight");
  const std::string help = flags.Help(40);
  size_t begin = 0;
  int lines = 0;
  for (size_t end; (end = help.find('\n', begin)) != std::string::npos; begin = end + 1, ++lines) {
    const std::string line = help.substr(begin, end - begin);
    if (line.find('w') == std::string::npos) {
      EXPECT_LE(line.size(), 40U) << line;
    }
  }
  EXPECT_GT(lines, 5);
}

}  // namespace
}  // namespace capstan::cli
