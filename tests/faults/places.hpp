#pragma once
// Disks and users to try faults with: what this system and this user allow.
#include <string>

#include "cli/process.hpp"

namespace testing_cli {

/// What runs a command where it may mount: root's own mounts, or a user's within a user namespace;
/// "" where neither is allowed.
inline std::string with_mounts() {
  for (const char* const way : {"unshare -m", "unshare -rm"}) {
    if (shell(std::string(way) + " mount -t tmpfs none /mnt").status == 0) return way;
  }
  return "";
}

/// What runs a command as a user who may not write to others' folders; "" for a user who is one,
/// and "none" where there is no such user who could start the program.
inline std::string as_another_user() {
  if (::geteuid() != 0) return "";
  const std::string way = "setpriv --reuid 65534 --regid 65534 --clear-groups";
  return shell(way + " feedrate --version").status == 0 ? way : "none";
}

}  // namespace testing_cli
