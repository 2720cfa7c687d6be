#include "capstan/options.h"

#include <tuple>
#include <utility>

#include <capstan/runtime/format.h>

#include "base/cli/flag_set.h"

namespace capstan::tool {
namespace {

using Parsed = std::variant<WhyOptions, std::string>;

constexpr char kUsage[] =
    "capstan shows what the objects of a Capstan controller manager wait for.\n\n"
    "Usage:\n"
    "  capstan why KIND/NAME [flags]   what an object waits for, such as deployment/web\n\n"
    "\"capstan why --help\" lists the flags.\n";

constexpr char kWhyUsage[] =
    "capstan why shows what an object waits for. For the rollout of a Deployment that is a "
    "quota,\npods that cannot be scheduled or do not become ready, a pause, a finalizer, or the "
    "limits of\nits strategy. It asks the leading manager, or computes the same from the objects "
    "in the API\nserver. The kinds are those that the plugins explain.\n\n"
    "Usage:\n"
    "  capstan why KIND/NAME [-n NAMESPACE] [flags]\n\n"
    "Examples:\n"
    "  capstan why deployment/web\n"
    "  capstan why deploy/web -n shop -o json\n"
    "  capstan why deployment/web --manager https://10.0.0.7:10257 "
    "--insecure-skip-tls-verify\n\n";

void AddFlags(cli::FlagSet& flags, WhyOptions& options, std::string& output) {
  flags.BeginSection("What to explain");
  flags.AddString("namespace", &options.namespace_,
                  "The object's namespace; without it that of the kubeconfig's context, or "
                  "\"default\".");
  flags.AlsoAs('n');
  flags.AddString("output", &output, "\"text\" or \"json\".");
  flags.AlsoAs('o');
  flags.BeginSection("Where to ask");
  flags.AddString("kubeconfig", &options.kubeconfig,
                  "The kubeconfig file; without it $KUBECONFIG, $HOME/.kube/config, or in a pod "
                  "its service account.");
  flags.AddString("context", &options.context, "The kubeconfig's context to use.");
  flags.AddString("manager", &options.manager,
                  "Address of the manager to ask, https://HOST:PORT. \"none\": compute the "
                  "explanation from the objects in the API server. Without this flag the leading "
                  "manager is asked through the API server where possible, else as with none.");
  flags.AddString("certificate-authority", &options.certificate_authority,
                  "File with the certificate authorities of the manager's certificate.");
  flags.AddBool("insecure-skip-tls-verify", &options.insecure_skip_tls_verify,
                "Accept any certificate of the manager, such as a self-signed one.");
  flags.AddString("token-file", &options.token_file,
                  "File with the bearer token to send to the manager.");
  flags.AddString("plugin-dir", &options.plugin_dir,
                  "The directory of the plugins, which explain their kinds; without it "
                  "../lib/capstan/plugins, relative to this program.");
  flags.AddDuration("request-timeout", &options.request_timeout,
                    "How long to wait for one response.");
}

/// Returns the kind and the name.
Result<std::pair<std::string, std::string>> ObjectOf(const std::vector<std::string>& words) {
  const Status usage = Status::InvalidArgument(
      words.empty() ? "no object given; try: capstan why deployment/NAME"
                    : Format("\"{}\" is not of the form KIND/NAME", words.front()));
  if (words.empty() || words.size() > 2) return usage;
  const size_t slash = words[0].find('/');
  if ((slash == std::string::npos) != (words.size() == 2)) return usage;
  std::string kind = words[0].substr(0, slash);
  std::string name = words.size() == 2 ? words[1] : words[0].substr(slash + 1);
  if (kind.empty() || name.empty() || name.find('/') != std::string::npos) return usage;
  return std::pair(std::move(kind), std::move(name));
}

Status Validate(const WhyOptions& options, const std::string& output) {
  if (output != "text" && output != "json") {
    return Status::InvalidArgument(
        Format("--output: \"{}\" is neither \"text\" nor \"json\"", output));
  }
  const bool has_address =
      options.manager.starts_with("https://") || options.manager.starts_with("http://");
  if (!options.manager.empty() && options.manager != kNoManager && !has_address) {
    return Status::InvalidArgument(
        Format("--manager: \"{}\" is not an address like https://HOST:PORT", options.manager));
  }
  if (!has_address && (options.insecure_skip_tls_verify || !options.certificate_authority.empty() ||
                       !options.token_file.empty())) {
    return Status::InvalidArgument(
        "--certificate-authority, --insecure-skip-tls-verify and --token-file need "
        "--manager=https://...");
  }
  if (options.request_timeout <= Duration::zero()) {
    return Status::InvalidArgument("--request-timeout: must be positive");
  }
  return Status::Ok();
}

Result<Parsed> ParseWhy(const std::vector<std::string>& arguments, size_t help_width) {
  WhyOptions options;
  std::string output = "text";
  bool help = false;
  cli::FlagSet flags;
  AddFlags(flags, options, output);
  flags.AddBool("help", &help, "Print this and exit.");
  flags.AlsoAs('h');
  std::string help_text = kWhyUsage + flags.Help(help_width);
  std::vector<std::string> words;
  if (Status status = flags.Parse(arguments, words); !status.ok()) return status;
  if (help) return Parsed(std::move(help_text));
  auto object = ObjectOf(words);
  if (!object) return object.status();
  if (Status status = Validate(options, output); !status.ok()) return status;
  std::tie(options.kind, options.name) = *std::move(object);
  options.json = output == "json";
  return Parsed(std::move(options));
}

}  // namespace

Result<Parsed> ParseCommandLine(const std::vector<std::string>& arguments, size_t help_width) {
  const std::string command = arguments.empty() ? "" : arguments.front();
  if (command == "why") return ParseWhy({arguments.begin() + 1, arguments.end()}, help_width);
  if (command == "help" || command == "--help" || command == "-h") {
    return Parsed(std::string(kUsage));
  }
  if (command == "version" || command == "--version") {
    return Parsed(std::string("Capstan v" CAPSTAN_VERSION "\n"));
  }
  if (command.empty()) return Status::InvalidArgument("no command given; see capstan --help");
  return Status::InvalidArgument(Format("unknown command \"{}\"; see capstan --help", command));
}

}  // namespace capstan::tool
