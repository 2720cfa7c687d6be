#include "playground/options.h"

#include <arpa/inet.h>

#include <capstan/runtime/format.h>

#include "base/cli/flag_set.h"

namespace capstan::playground {
namespace {

constexpr int kMostNodes = 5000;

constexpr char kUsage[] =
    "capstan-playground serves a Kubernetes API from memory, with nodes and pods that are\n"
    "simulated, for trying and testing. kubectl and controllers work against it as against a\n"
    "cluster.\n\n"
    "Usage:\n  capstan-playground [flags]\n\n";

void AddFlags(cli::FlagSet& flags, Options& options) {
  flags.BeginSection("Serving");
  flags.AddString("bind-address", &options.bind_address, "IP address to listen on.");
  flags.AddInt("secure-port", &options.secure_port, "HTTPS port; 0: any free port.");
  flags.AddInt("insecure-port", &options.insecure_port,
               "Plain HTTP port without authentication; 0: any free port, -1: none.");
  flags.AddString(
      "kubeconfig", &options.kubeconfig,
      "Kubeconfig to write, with address, certificate and token, as soon as requests are served.");
  flags.AddString("data", &options.data,
                  "File to load the objects from, if it exists, and to save them to, with the "
                  "certificate in FILE.pem. Without it they are lost at the end.");
  flags.BeginSection("Simulation");
  flags.AddInt("nodes", &options.nodes, "Number of nodes; with 0 all pods stay Pending.");
  flags.AddDuration("pod-ready-after", &options.pod_ready_after,
                    "How long a scheduled pod takes to become Ready.");
  flags.AddDuration("pod-gone-after", &options.pod_gone_after,
                    "How long a deleted pod takes to terminate.");
  flags.BeginSection("Misc");
  flags.AddInt("v", &options.verbosity, "Log verbosity: 0 is terse, 4 logs each request.");
  flags.AlsoAs('v');
}

Status Validate(const Options& options) {
  in6_addr address{};
  if (inet_pton(AF_INET, options.bind_address.c_str(), &address) != 1 &&
      inet_pton(AF_INET6, options.bind_address.c_str(), &address) != 1) {
    return Status::InvalidArgument(
        Format("--bind-address: \"{}\" is not an IP address", options.bind_address));
  }
  if (options.secure_port < 0 || options.secure_port > 65535) {
    return Status::InvalidArgument(
        Format("--secure-port: {} is not between 0 and 65535", options.secure_port));
  }
  if (options.insecure_port < -1 || options.insecure_port > 65535) {
    return Status::InvalidArgument(
        Format("--insecure-port: {} is not between -1 and 65535", options.insecure_port));
  }
  if (options.kubeconfig.empty()) {
    return Status::InvalidArgument("--kubeconfig: the file's name is empty");
  }
  if (options.nodes < 0 || options.nodes > kMostNodes) {
    return Status::InvalidArgument(
        Format("--nodes: {} is not between 0 and {}", options.nodes, kMostNodes));
  }
  if (options.pod_ready_after < Duration::zero()) {
    return Status::InvalidArgument("--pod-ready-after: must not be negative");
  }
  if (options.pod_gone_after < Duration::zero()) {
    return Status::InvalidArgument("--pod-gone-after: must not be negative");
  }
  return Status::Ok();
}

}  // namespace

Result<std::variant<Options, std::string>> ParseCommandLine(
    const std::vector<std::string>& arguments, size_t help_width) {
  using Parsed = std::variant<Options, std::string>;
  Options options;
  bool help = false;
  bool version = false;
  cli::FlagSet flags;
  AddFlags(flags, options);
  flags.AddBool("help", &help, "Print this and exit.");
  flags.AlsoAs('h');
  flags.AddBool("version", &version, "Print the version and exit.");
  // Help is generated before parsing, so that it shows the defaults.
  std::string help_text = kUsage + flags.Help(help_width);
  if (Status status = flags.Parse(arguments); !status.ok()) return status;
  if (help) return Parsed(std::move(help_text));
  if (version) return Parsed(std::string("Capstan v" CAPSTAN_VERSION "\n"));
  if (Status status = Validate(options); !status.ok()) return status;
  return Parsed(std::move(options));
}

}  // namespace capstan::playground
