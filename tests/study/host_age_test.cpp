// Whether a profile still speaks of its machine.
#include "study/host_age.hpp"

#include "catch.hpp"
#include "study/price_age.hpp"

using namespace feedrate;

namespace {

HostProfile profile() {
  HostProfile made;
  made.date = "2026-05-01T12:00:00Z";
  made.hostname = "trainer";
  made.processor = "A CPU";
  made.kernel = "6.1";
  made.driver = "550";
  made.canary["jpeg"] = {milliseconds(2.0), {Origin::measured, "", 0.01}};
  made.canary["registers"] = {milliseconds(1.0), {Origin::measured, "", 0.01}};
  return made;
}

study::Here here(int days_later) {
  study::Here now;
  now.facts.hostname = "trainer";
  now.facts.cpu = "A CPU";
  now.facts.kernel = "6.1";
  now.facts.driver = "550";
  now.today = *study::last_day("2026-05-01") + days_later;
  return now;
}

}  // namespace

TEST_CASE("host age: of an unchanged machine nothing is said") {
  study::Here now = here(30);
  now.canary = {{"jpeg", milliseconds(2.1)}, {"registers", milliseconds(9.0)}};
  CHECK(study::changes_since(profile(), now, 90).empty());
}

TEST_CASE("host age: an old profile, another kernel or driver and a slower machine are said") {
  CHECK(study::changes_since(profile(), here(91), 90) ==
        std::vector<std::string>{
            "the host profile is 91 days old: calibrate again, or set --max-age"});
  study::Here now = here(1);
  now.facts.kernel = "6.6";
  now.facts.driver = "570";
  now.canary = {{"jpeg", milliseconds(2.5)}};
  CHECK(study::changes_since(profile(), now, 90) ==
        std::vector<std::string>{
            "the host profile was made with kernel 6.1, this machine has 6.6: calibrate again",
            "the host profile was made with GPU driver 550, this machine has 570: calibrate again",
            "this machine is 25 % slower than when the host profile was made"});
  now.facts = here(1).facts;
  now.canary = {{"jpeg", milliseconds(1.6)}};
  CHECK(
      study::changes_since(profile(), now, 90) ==
      std::vector<std::string>{"this machine is 20 % faster than when the host profile was made"});
}

TEST_CASE("host age: of a profile of another machine only its age is held against it") {
  study::Here now = here(100);
  now.facts.hostname = "laptop";
  now.facts.kernel = "6.6";
  now.canary = {{"jpeg", milliseconds(9.0)}};
  CHECK(study::changes_since(profile(), now, 90).size() == 1);
  HostProfile silent = profile();
  silent.hostname.clear();
  silent.date.clear();
  CHECK(study::changes_since(silent, now, 90).empty());
}
