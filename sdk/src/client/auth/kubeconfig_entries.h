#pragma once

#include <string>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/status.h>

#include "client/auth/kubeconfig_file.h"

namespace capstan::client {

/// Read a cluster and a user of a kubeconfig into `config`, and check them. `master` replaces the
/// cluster's server unless it is empty. `exec_config_json` is the cluster's extension for a
/// credential plugin of the user.
Status ReadCluster(const std::string& name, const KubeconfigEntry& entry, const std::string& master,
                   RestConfig& config, std::string& exec_config_json);
Status ReadUser(const std::string& name, const KubeconfigEntry& entry,
                const std::string& exec_config_json, RestConfig& config);

}  // namespace capstan::client
