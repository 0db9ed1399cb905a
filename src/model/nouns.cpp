// How the large nouns are made, copied and destroyed: every file that holds one would compile that
// again.
#include "model/host.hpp"
#include "model/scenario.hpp"

namespace feedrate {

Scenario::Scenario() = default;
Scenario::Scenario(const Scenario& other) = default;
Scenario::Scenario(Scenario&& other) noexcept = default;
Scenario& Scenario::operator=(const Scenario& other) = default;
Scenario& Scenario::operator=(Scenario&& other) noexcept = default;
Scenario::~Scenario() = default;

HostProfile::HostProfile() = default;
HostProfile::HostProfile(const HostProfile& other) = default;
HostProfile::HostProfile(HostProfile&& other) noexcept = default;
HostProfile& HostProfile::operator=(const HostProfile& other) = default;
HostProfile& HostProfile::operator=(HostProfile&& other) noexcept = default;
HostProfile::~HostProfile() = default;

}  // namespace feedrate
