#pragma once
#include <unistd.h>

#include <exception>
#include <stdexcept>

namespace feedrate::test {

/// Until its end this process may read and write what an ordinary user may: root becomes nobody
/// (user 65534) and is root again afterwards. Others stay who they are.
class OrdinaryUser {
 public:
  OrdinaryUser() {
    if (was_ == 0 && ::seteuid(65534) != 0) throw std::runtime_error("root may not become nobody");
  }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;
  ~OrdinaryUser() {
    if (was_ == 0 && ::seteuid(0) != 0) std::terminate();  // tests that follow would be another's
  }

 private:
  uid_t was_ = ::geteuid();
};

}  // namespace feedrate::test
