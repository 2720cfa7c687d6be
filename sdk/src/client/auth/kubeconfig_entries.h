#pragma once

#include <string>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/status.h>

#include "client/auth/kubeconfig_file.h"

namespace capstan::client {

// Put what a cluster and a user of a kubeconfig say into `config`, and check it. `master` replaces
// the cluster's server unless it is empty. `exec_config_json` is the cluster's extension that is
// meant for a credential plugin of the user.
Status ReadCluster(const std::string& name, const KubeconfigEntry& entry, const std::string& master,
                   RestConfig& config, std::string& exec_config_json);
Status ReadUser(const std::string& name, const KubeconfigEntry& entry,
                const std::string& exec_config_json, RestConfig& config);

}  // namespace capstan::client
