// The bill, against closed forms: every expected figure is worked out in the test.
#include "study/cost.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "base/errors.hpp"
#include "catalog/lookup.hpp"
#include "catch.hpp"
#include "words/bill.hpp"

using namespace feedrate;
using namespace feedrate::study;

namespace {

const BillingRule ec2{"ec2", seconds(1), seconds(60), true, {}};
const BillingRule sagemaker{"sagemaker", seconds(1), seconds(0), false, {}};

/// A day's work of one instance on `instances` at `efficiency`: T(1) / (N S).
BillInput day_on(double instances, double efficiency) {
  BillInput input;
  const Duration wall = hours(24) / (instances * efficiency);
  input.compute = {
      "ml.p3.2xlarge", instances, seconds(0), wall, Value<HourlyPrice>::given(usd_per_hour(3.825)),
      sagemaker};
  input.job = wall;
  input.value_of_hour = usd_per_hour(3);
  return input;
}

double change(Money now, Money before) {
  return 100.0 * (now / before - 1.0);
}

template <class Price>
Value<Price> at(Price price) {
  return Value<Price>::published(price, "test, 2026");
}

StoragePrice per_gb_month(double dollars) {
  return usd(dollars) / gigabytes(1) / months(1);
}

/// What is thrown, in words; "" when nothing is.
template <class Action>
std::string complaint(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// A bill of one free instance, to look at the rest.
BillInput only() {
  BillInput input;
  input.compute = {"x", 1.0, seconds(0), hours(1), Value<HourlyPrice>::given({}), ec2};
  return input;
}

}  // namespace

TEST_CASE("cost: eight instances at 90 % cost 102 USD") {
  const Bill one = bill_of(day_on(1, 1.0));
  const Bill eight = bill_of(day_on(8, 0.9));
  CHECK(one.money.base() == Approx(91.80).epsilon(1e-12));
  CHECK(eight.money.base() == Approx(102.00).epsilon(1e-12));
  CHECK(eight.billed_time / hours(1) == Approx(10.0 / 3.0).epsilon(1e-12));
  CHECK(change(eight.money, one.money) == Approx(100.0 / 9.0).epsilon(1e-9));
  CHECK(eight.hour_value.base() == Approx(10.0).epsilon(1e-12));
  CHECK(one.total.base() == Approx(91.80 + 72.0).epsilon(1e-12));
  CHECK(change(eight.total, one.total) == Approx(-31.624).margin(5e-4));
}

TEST_CASE("cost: the total changes by +515.385 % at efficiency 0.1 and by -38.462 % at 1") {
  // (P + w/N) / S against P + w, with P = 3.825, w = 3, N = 8.
  const Money one = bill_of(day_on(1, 1.0)).total;
  CHECK(change(bill_of(day_on(8, 0.1)).total, one) == Approx(515.385).margin(5e-4));
  CHECK(change(bill_of(day_on(8, 1.0)).total, one) == Approx(-38.462).margin(5e-4));
}

TEST_CASE("cost: at the break-even efficiency both clusters cost the same") {
  const double s = 4.2 / 6.825;  // (P + w/N) / (P + w)
  BillInput even = day_on(8, s);
  even.compute.rule.granularity = seconds(0);
  CHECK(bill_of(even).total.base() == Approx(bill_of(day_on(1, 1.0)).total.base()).epsilon(1e-12));
}

TEST_CASE("cost: EC2 bills whole seconds, 60 at least, start-up included") {
  CHECK(billed_time(ec2, seconds(0), seconds(10)) == seconds(60));
  CHECK(billed_time(ec2, seconds(50), seconds(20.2)) == seconds(71));
  CHECK(billed_time(ec2, seconds(0), seconds(3600)) == seconds(3600));
}

TEST_CASE("cost: SageMaker bills no start-up and has no minimum") {
  CHECK(billed_time(sagemaker, seconds(300), seconds(10.5)) == seconds(11));
  CHECK(billed_time(sagemaker, seconds(300), seconds(0)) == seconds(0));
}

TEST_CASE("cost: rounding noise of a sum does not buy another second") {
  CHECK(billed_time(ec2, seconds(0), seconds(12000.000000000002)) == seconds(12000));
  CHECK(billed_time(ec2, seconds(0), seconds(12000.01)) == seconds(12001));
}

TEST_CASE("cost: a short job that is kept warm is billed for as long as the instance is there") {
  BillInput input = only();
  input.compute.price = Value<HourlyPrice>::given(usd_per_hour(3600.0));  // a dollar a second
  input.compute.busy = seconds(0.7);
  input.kept_warm = seconds(100.0);
  CHECK(bill_of(input).money.base() == Approx(101.0));
  CHECK(bill_of(input).billed_time == seconds(60.0));  // of the job
  input.kept_warm = seconds(20.0);
  CHECK(bill_of(input).money.base() == Approx(60.0));
}

TEST_CASE("cost: as many requests as there are, however many") {
  BillInput input = only();
  const auto counted = [&](double amount) {
    input.requests = {{"S3 GET", amount, {{{}, at(usd(1.0))}}}};
    return bill_of(input).requests.base();
  };
  CHECK(counted(1e12) == 1e12);
  CHECK(counted(1e12 + 0.25) == 1e12);
  CHECK(counted(2.5) == 3.0);
  CHECK(counted(3.0 * (1.0 + 1e-12)) == 3.0);
}

TEST_CASE("cost: FSx for Lustre is billed in its capacity steps, for the time held") {
  // 1.5 TiB needs the 2.4 TiB size: 2.4 · 140 USD/TiB/month · 73 h / 730 h = 33.60 USD.
  BillInput input = only();
  const CapacitySteps steps{tebibytes(1.2), tebibytes(2.4), tebibytes(2.4)};
  const StoragePrice price = usd(140) / tebibytes(1) / months(1);
  input.storage.push_back({"FSx", tebibytes(1.5), {{{}, at(price)}}, hours(73), {}, steps});
  CHECK(bill_of(input).storage.base() == Approx(33.60).epsilon(1e-12));
}

TEST_CASE("cost: capacity steps are the first, the second, then multiples of the step") {
  const CapacitySteps scratch_1{tebibytes(1.2), tebibytes(2.4), tebibytes(3.6)};
  CHECK(billed_capacity(gigabytes(1), scratch_1) == tebibytes(1.2));
  CHECK(billed_capacity(gibibytes(1200), scratch_1) == tebibytes(1.2));
  CHECK(billed_capacity(tebibytes(2), scratch_1) == tebibytes(2.4));
  CHECK(billed_capacity(tebibytes(2.5), scratch_1) / tebibytes(1) == Approx(3.6));
  CHECK(billed_capacity(tebibytes(3.7), scratch_1) / tebibytes(1) == Approx(7.2));
  CHECK(billed_capacity(tebibytes(3.6), scratch_1) / tebibytes(1) == Approx(3.6));
  CHECK(billed_capacity(gigabytes(7), {}) == gigabytes(7));
}

TEST_CASE("cost: gp3 costs its size, and IOPS and throughput only above the free ones") {
  // A month of 500 GiB at 0.08, 6000 IOPS at 0.005 above 3000, 225 MB/s at 0.04 above 125:
  // 40 + 15 + 4 USD.
  BillInput input = only();
  const StoragePrice size = usd(0.08) / gibibytes(1) / months(1);
  input.storage.push_back({"EBS gp3", gibibytes(500), {{{}, at(size)}}, months(1)});
  input.iops.push_back(
      {"IOPS", per_second(6000), {{{}, at(usd(0.005) / months(1))}}, months(1), per_second(3000)});
  const BandwidthPrice speed = usd(0.04) / bytes_per_second(1e6) / months(1);
  input.bandwidth.push_back({"throughput",
                             bytes_per_second(225e6),
                             {{{}, at(speed)}},
                             months(1),
                             bytes_per_second(125e6)});
  CHECK(bill_of(input).storage.base() == Approx(59.0).epsilon(1e-12));
  input.iops[0].amount = per_second(100);
  input.bandwidth[0].amount = bytes_per_second(1);
  CHECK(bill_of(input).storage.base() == Approx(40.0).epsilon(1e-12));
}

TEST_CASE("cost: elastic EFS costs what is stored and what is read") {
  // 100 GB for 73 h at 0.30 is 3 USD; 500 GB read at 0.03 are 15 USD.
  BillInput input = only();
  input.storage.push_back({"EFS", gigabytes(100), {{{}, at(per_gb_month(0.30))}}, hours(73)});
  input.transfer.push_back({"EFS reads", gigabytes(500), {{{}, at(usd(0.03) / gigabytes(1))}}});
  const Bill bill = bill_of(input);
  CHECK(bill.storage.base() == Approx(3.0).epsilon(1e-12));
  CHECK(bill.transfer.base() == Approx(15.0).epsilon(1e-12));
}

TEST_CASE("cost: two million GETs cost 80 cents") {
  BillInput input = only();
  input.requests.push_back({"S3 GET", 2e6, {{{}, at(usd(0.0004) / 1000.0)}}});
  CHECK(bill_of(input).requests.base() == Approx(0.80).epsilon(1e-12));
}

TEST_CASE("cost: transfer goes through its tiers, and past the last known one is an error") {
  // 60 TB: 10 at 0.09, 40 at 0.085, 10 at 0.07 USD/GB: 900 + 3400 + 700 USD.
  const auto per_gb = [](double dollars) { return at(usd(dollars) / gigabytes(1)); };
  TransferUse use{"internet",
                  gigabytes(60000),
                  {{gigabytes(10000), per_gb(0.09)},
                   {gigabytes(50000), per_gb(0.085)},
                   {gigabytes(150000), per_gb(0.07)}}};
  CHECK(transfer_cost(use).base() == Approx(5000.0).epsilon(1e-12));
  use.amount = gigabytes(10000);
  CHECK(transfer_cost(use).base() == Approx(900.0).epsilon(1e-12));
  use.amount = bytes(0);
  CHECK(transfer_cost(use).base() == 0.0);
  use.amount = gigabytes(150001);
  CHECK(says(complaint([&] { transfer_cost(use); }), "no price is known above 150 TB"));
}

TEST_CASE(
    "cost: a price by tiers is as old as the oldest tier that is paid, and names each source") {
  const auto tier = [](std::optional<Bytes> up_to, const char* source, const char* date) {
    TransferTier made{up_to, at(usd(0.09) / gigabytes(1))};
    made.price.from.source = source;
    made.price.from.date = date;
    return made;
  };
  const auto paid = [&](double gb) {
    BillInput input = only();
    input.transfer.push_back(
        {"internet",
         gigabytes(gb),
         {tier(gigabytes(10), "a list", "2026-01-01"), tier(gigabytes(20), "another", "2024-05-01"),
          tier({}, "a list", "")}});
    return bill_of(input).lines.back().from;
  };
  CHECK(paid(10).date == "2026-01-01");
  CHECK(paid(10).source == "a list");
  CHECK(paid(11).date == "2024-05-01");
  CHECK(paid(30).date == "2024-05-01");
  CHECK(paid(30).source == "a list; another");
}

TEST_CASE("cost: idle GPUs cost the cluster's price for as long as they wait, stage by stage") {
  BillInput input = day_on(8, 0.9);
  input.stall[Stage::download] = hours(0.5);
  input.stall[Stage::decode] = hours(1);
  const Bill bill = bill_of(input);
  CHECK(bill.idle_gpu_by_stage[Stage::download].base() == Approx(8 * 3.825 * 0.5));
  CHECK(bill.idle_gpu_by_stage[Stage::decode].base() == Approx(8 * 3.825));
  CHECK(bill.idle_gpu.base() == Approx(8 * 3.825 * 1.5));
  CHECK(bill.idle_gpu < bill.compute);
}

TEST_CASE("cost: the parts are the sums of their lines, and the money is the sum of the parts") {
  BillInput input = day_on(2, 0.8);
  input.auxiliary.push_back(
      {"ml.c5.4xlarge", 3, seconds(0), hours(2), at(usd_per_hour(0.816)), sagemaker});
  input.storage.push_back({"S3", gigabytes(100), {{{}, at(per_gb_month(0.023))}}, months(1)});
  input.requests.push_back({"S3 PUT", 12, {{{}, at(usd(0.005) / 1000.0)}}});
  input.transfer.push_back({"other region", gigabytes(10), {{{}, at(usd(0.02) / gigabytes(1))}}});
  const Bill bill = bill_of(input);
  CHECK(bill.auxiliary.base() == Approx(3 * 2 * 0.816));
  Money sum;
  for (const BillLine& line : bill.lines) sum += line.amount;
  CHECK(sum.base() == Approx(bill.money.base()).epsilon(1e-14));
  CHECK(bill.lines.size() == 5);
  CHECK(words::item(bill.lines[1]) == "3 x ml.c5.4xlarge");
  CHECK(words::quantity(bill.lines[1]) == "2 h each");
  CHECK(words::price(bill.lines[1]) == "0.816 USD/h");
  CHECK(bill.lines[1].from.source == "test, 2026");
  CHECK(bill.total == bill.money + bill.hour_value);
}

TEST_CASE("cost: impossible amounts are refused, with the line's name") {
  BillInput input = only();
  input.compute.busy = seconds(-1);
  CHECK_THROWS_AS(bill_of(input), InputError);
  input = only();
  input.compute.instances = 0;
  CHECK(says(complaint([&] { bill_of(input); }), "bill of x: expected more than 0 instances"));
  input = only();
  input.requests.push_back({"S3 GET", -1, {{{}, at(usd(1))}}});
  CHECK(says(complaint([&] { bill_of(input); }), "S3 GET"));
}
