// Lines of a bill: what they charge for makes their amount, and is spelled as a person would.
#include "words/bill.hpp"

#include <cmath>

#include "base/random.hpp"
#include "catch.hpp"
#include "study/cost.hpp"

using namespace feedrate;

namespace {

/// What a person would compute from the line.
struct Product {
  Money operator()(const ChargedInstances& c) const { return c.instances * (c.price * c.each); }
  Money operator()(const ChargedIops& c) const {
    return c.amount * seconds(1.0) * (c.price * c.held);
  }
  Money operator()(const ChargedRequests& c) const { return c.amount * c.price; }
  Money operator()(const ChargedTransfer& c) const { return c.amount * c.price; }
  template <class Amount, class Price>
  Money operator()(const Charged<Amount, Price>& c) const {
    return c.amount * c.price * c.held;
  }
};

BillInput drawn_bill(std::uint64_t seed) {
  auto draw = [&, n = std::uint64_t{0}](double low, double high) mutable {
    return low + (high - low) * uniform_of(seed, ++n, "bill");
  };
  const auto price = [](auto value) {
    Value<decltype(value)> made;
    made.value = value;
    return made;
  };
  const HourlyPrice hourly = usd(draw(0.0, 40.0)) / hours(1.0);
  BillInput input;
  input.compute = {"m",
                   std::ceil(draw(0.5, 20.0)),
                   seconds(draw(0.0, 600.0)),
                   hours(draw(0.0, 30.0)),
                   price(hourly),
                   {}};
  input.booked = draw(0.0, 1.0) < 0.5 ? hours(24.0) : Duration{};
  input.blocks = 2.0;
  input.storage.push_back({"s",
                           gigabytes(draw(1.0, 5000.0)),
                           {{gigabytes(1000.0), price(usd(0.023) / gigabytes(1.0) / months(1.0))},
                            {{}, price(usd(0.021) / gigabytes(1.0) / months(1.0))}},
                           hours(draw(0.0, 900.0))});
  input.objects.push_back(
      {"o", draw(0.0, 1e7), {{{}, price(usd(2.5e-6) / months(1.0))}}, hours(draw(0.0, 900.0))});
  input.iops.push_back({"i",
                        per_second(draw(0.0, 9000.0)),
                        {{{}, price(usd(0.005) / months(1.0))}},
                        hours(draw(0.0, 90.0)),
                        per_second(3000.0)});
  input.requests.push_back({"r", draw(0.0, 1e7), {{{}, price(usd(4e-7))}}});
  input.transfer.push_back({"t",
                            gigabytes(draw(0.0, 900.0)),
                            {{gigabytes(300.0), price(usd(0.02) / gigabytes(1.0))},
                             {{}, price(usd(0.01) / gigabytes(1.0))}}});
  return input;
}

}  // namespace

TEST_CASE("a line of a bill is told in the units of price lists") {
  const auto line = [](Charge charge) {
    BillLine made;
    made.charge = std::move(charge);
    return made;
  };
  const auto price_of_requests = [&](double usd_each) {
    return words::price(line(ChargedRequests{1.0, usd(usd_each)}));
  };
  CHECK(price_of_requests(3e-8) == "0.00003 USD per 1,000 requests");  // S3 Express One Zone, GET
  CHECK(price_of_requests(4e-7) == "0.0004 USD per 1,000 requests");
  CHECK(price_of_requests(5e-6) == "0.005 USD per 1,000 requests");
  const auto storage = [&](Bytes size, double usd_of_gibibyte) {
    return line(
        ChargedStorage{size, usd(usd_of_gibibyte) / gibibytes(1.0) / months(1.0), hours(2.0)});
  };
  // io2, st1 and gp3: AWS's page has them by the GB, which is a GiB there.
  CHECK(words::price(storage(gibibytes(500.0), 0.125)) == "0.125 USD/GiB-month");
  CHECK(words::price(storage(gibibytes(500.0), 0.045)) == "0.045 USD/GiB-month");
  CHECK(words::price(storage(gibibytes(500.0), 0.08)) == "0.08 USD/GiB-month");
  CHECK(words::quantity(storage(megabytes(964608.0), 0.125)) == "964.608 GB for 2 h");
  CHECK(words::quantity(storage(gibibytes(163989376.0 / 1048576.0), 0.125)) ==
        "156.392 GiB for 2 h");
  CHECK(words::quantity(storage(gigabytes(50.0), 0.125)) == "50 GB for 2 h");
  CHECK(words::quantity(storage(megabytes(300.0), 0.125)) == "300 MB for 2 h");
  // Nobody counts gigabytes in KB.
  const auto moved = [&](Bytes amount) {
    return words::quantity(line(ChargedTransfer{amount, usd(0.03) / gigabytes(1.0)}));
  };
  CHECK(moved(kilobytes(305078125.0)) == "305.078 GB");
  CHECK(moved(gigabytes(13100212.3456)) == "13.1002 PB");
  // FSx for Lustre at 210 USD a TiB, less 10 %.
  CHECK(words::price(storage(tebibytes(48.0), 0.9 * 210.0 / 1024.0)) == "189 USD/TiB-month");
  CHECK(words::price(storage(tebibytes(48.0), 0.023 * 1.073741824 * 0.93)) ==
        "0.02139 USD/GB-month");
  const auto beyond = [&](Bandwidth amount, Bandwidth free) {
    ChargedBandwidth charge;
    charge.amount = amount;
    charge.free = free;
    charge.held = hours(2.0);
    return words::quantity(line(charge));
  };
  const Bandwidth of_gp3 = gibibytes(125.0 / 1024.0) / seconds(1.0);
  CHECK(beyond(gigabytes(1.0) / seconds(1.0) - of_gp3, of_gp3) ==
        "828.674 MiB/s above 125 MiB/s for 2 h");
  CHECK(beyond(kilobytes(868928.0) / seconds(1.0), megabytes(100.0) / seconds(1.0)) ==
        "868.928 MB/s above 100 MB/s for 2 h");
}

TEST_CASE("law: a line of a bill is its quantity times its price, and lines add up to the bill") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Bill bill = study::bill_of(drawn_bill(seed));
    Money sum;
    for (const BillLine& line : bill.lines) {
      INFO(seed << ": " << words::item(line) << ", " << words::quantity(line));
      const Money product = std::visit(Product(), line.charge);
      CHECK(line.amount.base() == Approx(product.base()).epsilon(1e-12).margin(1e-12));
      sum += line.amount;
      CHECK_FALSE(words::quantity(line).empty());
      CHECK_FALSE(words::price(line).empty());
    }
    CHECK(sum.base() == Approx(bill.money.base()).epsilon(1e-12).margin(1e-12));
  }
}

TEST_CASE("bill: what is booked and not used says so, and one request is no requests") {
  BillLine line;
  line.of = "p3.2xlarge";
  line.charge = ChargedInstances{4.0, hours(2.5), usd(3.06) / hours(1.0), true};
  CHECK(words::item(line) == "4 x p3.2xlarge, booked and not used");
  CHECK(words::quantity(line) == "2.5 h each");
  CHECK(words::price(line) == "3.06 USD/h");
  line.of = "S3 PUT";
  line.charge = ChargedRequests{1.0, usd(0.005) / 1000.0};
  CHECK(words::item(line) == "S3 PUT");
  CHECK(words::quantity(line) == "1 request");
  CHECK(words::price(line) == "0.005 USD per 1,000 requests");
}

TEST_CASE("bill words: bytes that leave a cloud are written as the bill writes them") {
  const std::string text =
      words::leaves_cloud("AWS", "us-east-1", false, "gcp", Bytes::of(195318832.9935074 * 1024.0));
  CHECK(text.ends_with("(gcp): 200.006 GB cross the internet"));
  CHECK(text.starts_with("the data is in AWS, taken to be in us-east-1, and is read from"));
  CHECK(words::leaves_cloud("AWS", "us-east-1", false, "gcp", gigabytes(50.0))
            .ends_with(": 50 GB cross the internet"));
  CHECK(words::leaves_cloud("AWS", "us-west-2", true, "gcp", gigabytes(50.0))
            .starts_with("the data is in AWS (us-west-2), and is read from another cloud"));
}
