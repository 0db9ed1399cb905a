// Interrupted jobs as a user meets them: what is counted, what it costs, what is said of it.
#include <cmath>
#include <string>

#include "catch.hpp"
#include "scenarios/shipped.hpp"

using testing_cli::shell;
using testing_scenarios::at;
using testing_scenarios::json_of;

namespace {

const std::string spot_job = "spot_checkpoints.json";
const std::string day_job = "total_cost_24h_p3.json --set instances=1 --set efficiency=null";
const std::string failing = " --set /cluster/failures={}";

/// A run and what it answers.
class Run {
 public:
  explicit Run(const std::string& arguments) : json_(json_of("run scenarios/" + arguments)) {}
  double operator()(const std::string& path) const { return at(*json_, "result." + path).number; }
  [[nodiscard]] bool is_null(const std::string& path) const {
    return at(*json_, "result." + path).kind == feedrate::schema::JsonKind::null;
  }
  /// Whether one of the texts of "remarks" or "caveats" has this part.
  [[nodiscard]] bool says(const std::string& list, const std::string& part) const {
    for (const auto& item : at(*json_, "result." + list).items) {
      if (item->text.find(part) != std::string::npos) return true;
    }
    return false;
  }

 private:
  feedrate::schema::JsonPtr json_;
};

}  // namespace

TEST_CASE("interrupted runs: nothing is counted that nobody asked for") {
  const Run plain(day_job);
  CHECK(plain("time.total_s") == Approx(24.0 * 3600.0));
  CHECK(plain.is_null("interruptions"));
  // One machine for a day loses 0.2 %: not worth a word. A hundred for a month are.
  CHECK(!plain.says("remarks", "machines fail"));
  const Run large(day_job +
                  " --set instances=100 --set efficiency=1 "
                  "--set duration_on_one_instance=70000h");
  CHECK(large.is_null("interruptions"));
  CHECK(large.says("remarks", "machines fail"));
  CHECK(large.says("remarks", "/cluster/failures counts them"));
}

TEST_CASE("interrupted runs: spot is interrupted as published unless it is told otherwise") {
  const Run bare(spot_job + " --set /cluster/spot=null");
  const Run empty(spot_job + " --set /cluster/spot={}");
  CHECK(bare("interruptions.expected_interruptions") > 0.0);
  CHECK(bare("interruptions.expected_interruptions") ==
        empty("interruptions.expected_interruptions"));
  CHECK(bare("time.total_s") == empty("time.total_s"));
  CHECK(bare.says("caveats", "expected values with interruptions"));
  const Run never(spot_job + " --set '/cluster/spot={\"rate\": \"0 /h\"}'");
  CHECK(never("interruptions.expected_interruptions") == 0.0);
  CHECK(never("time.total_s") < bare("time.total_s"));
  CHECK(!Run(spot_job + " --set purchase=on_demand").says("caveats", "interruptions"));
}

TEST_CASE("interrupted runs: failures of a cluster come N times as often") {
  for (const double n : {1.0, 4.0, 32.0}) {
    const Run run(day_job + failing + " --set efficiency=1 --set instances=" + std::to_string(n));
    // One GPU of the eight that the published nodes have: 47.3 % of failures go with them.
    const double each = 3.8 * (1.0 - 0.473 * 7.0 / 8.0);
    CHECK(run("interruptions.between_interruptions_s") ==
          Approx(24.0 * 3600.0 * 1000.0 / each / n));
    // n machines take an n-th of the time: the same exposure, as many failures.
    CHECK(run("interruptions.expected_interruptions") == Approx(each / 1000.0).epsilon(0.01));
  }
  const Run by_mttf(day_job + " --set /cluster/failures/mttf=100h");
  CHECK(by_mttf("interruptions.between_interruptions_s") == Approx(360000.0));
}

TEST_CASE("interrupted runs: time and money are the means, and their parts add up") {
  const Run run(day_job + " --set /cluster/failures/mttf=40h");
  const double lambda = 1.0 / 40.0;
  const double restart = 300.0 / 3600.0;
  const double hours = std::exp(lambda * restart) * std::expm1(lambda * 24.0) / lambda;
  CHECK(run("time.total_s") == Approx(hours * 3600.0));
  CHECK(run("cost.money_usd") == Approx(hours * 3.825).epsilon(1e-4));
  CHECK(run("time.total_s") ==
        Approx(24.0 * 3600.0 + run("interruptions.rework_s") + run("interruptions.restarts_s")));
  CHECK(run("interruptions.effective_time_ratio") == Approx(24.0 / hours));
  CHECK(run("interruptions.total_p5_s") == Approx(24.0 * 3600.0));
  CHECK(run("interruptions.total_p5_s") < run("time.total_s"));
  CHECK(run("time.total_s") < run("interruptions.total_p95_s"));
  CHECK(run("interruptions.money_p5_usd") == Approx(24.0 * 3.825).epsilon(1e-3));
  CHECK(run.says("caveats", "the expected values with interruptions"));
}

TEST_CASE("interrupted runs: a single instance that is waited for takes time and no money") {
  const Run waits(spot_job + " --set /cluster/spot/wait_for_capacity=1h");
  const Run none(spot_job);
  const double more = waits("time.total_s") - none("time.total_s");
  CHECK(more == Approx(3600.0 * waits("interruptions.expected_interruptions")));
  CHECK(waits("interruptions.capacity_wait_s") == Approx(more));
  CHECK(waits("cost.money_usd") == Approx(none("cost.money_usd")).epsilon(1e-6));
}

TEST_CASE("interrupted runs: an interval that is left out is the best one") {
  const std::string writes = spot_job + " --set '/job/checkpoint/size=60 GB'";
  const Run best(writes + " --set /job/checkpoint/interval=null");
  CHECK(best("interruptions.checkpoint_interval_s") == best("interruptions.best_interval_s"));
  // λ = 0.15 /h, a write of a minute: Young says 40 minutes.
  CHECK(best("interruptions.young_interval_s") == Approx(std::sqrt(2.0 * 60.0 * 24000.0)));
  CHECK(best("interruptions.daly_interval_s") ==
        Approx(best("interruptions.young_interval_s") - 60.0));
  CHECK(best("interruptions.best_interval_s") ==
        Approx(best("interruptions.daly_interval_s")).epsilon(0.1));
  for (const char* other : {"5min", "20min", "1h", "4h"}) {
    const Run tried(writes + " --set /job/checkpoint/interval=" + other);
    CHECK(best("time.total_s") <= tried("time.total_s"));
    CHECK(tried("interruptions.best_interval_s") == best("interruptions.best_interval_s"));
  }
}

TEST_CASE("interrupted runs: a notice that a checkpoint fits into loses no work") {
  const Run sudden(spot_job);
  const Run announced(spot_job + " --set '/cluster/spot/notice=2 min'");
  CHECK(announced("interruptions.rework_s") == Approx(0.0).margin(1e-6));
  CHECK(announced("time.total_s") < sudden("time.total_s"));
  const Run late(spot_job + " --set '/cluster/spot/notice=0.5 s'");
  CHECK(late("time.total_s") == sudden("time.total_s"));
  CHECK(late.says("remarks", "too short for a last checkpoint"));
}

TEST_CASE("interrupted runs: spot beside on demand, and falling back to it") {
  const Run run(spot_job);
  CHECK(run("interruptions.on_demand_usd") == Approx(48.5).epsilon(0.01));
  CHECK(run("interruptions.spot_saving") ==
        Approx(1.0 - run("cost.money_usd") / run("interruptions.on_demand_usd")));
  // On demand nothing interrupts it: without an interval of its own it writes nothing.
  const std::string free_interval = spot_job + " --set /job/checkpoint/interval=null";
  CHECK(Run(free_interval)("interruptions.on_demand_usd") == Approx(48.5));
  CHECK(Run(free_interval + " --set purchase=on_demand --set '/cluster/price=1 USD/h'")(
            "cost.money_usd") == Approx(48.5));
  const std::string without = spot_job + " --set '/job/checkpoint/interval=1000 h'";
  const Run hopeless(without);
  CHECK(hopeless("interruptions.spot_saving") < -10.0);
  CHECK(hopeless("interruptions.spot_loses") > 0.9);
  const Run rescued(without + " --set /cluster/spot/fallback/after_interruptions=2");
  CHECK(rescued("cost.money_usd") < 100.0);
  CHECK(rescued("interruptions.expected_interruptions") <= 2.0);
  // The bill has a line for each kind of instance, and together they are held all the time.
  CHECK(rescued("cost.billed_time_s") == Approx(rescued("time.total_s")).epsilon(1e-4));
  const auto text = shell("feedrate run --full scenarios/" + without +
                          " --set /cluster/spot/fallback/after_interruptions=2");
  CHECK(text.out.find("instance on demand") != std::string::npos);
}

TEST_CASE("interrupted runs: what is booked is paid whole") {
  const std::string block =
      "total_cost_24h_p3.json --set purchase=capacity_block --set efficiency=1 ";
  const Run early(block + "--set '/cluster/booked=4 h'");  // 3 h are used
  CHECK(early("cost.money_usd") == Approx(8.0 * 4.0 * 3.825));
  CHECK(early("interruptions.unused_usd") == Approx(8.0 * 3.825));
  CHECK(early("interruptions.blocks") == 1.0);
  CHECK(early("time.total_s") == Approx(3.0 * 3600.0));
  CHECK(early.says("caveats", "25 % of the cost is for booked time that is not used"));
  const Run exact(block + "--set '/cluster/booked=3 h'");
  CHECK(exact("interruptions.unused_usd") == Approx(0.0).margin(1e-6));
  // Without checkpoints a block that is too short never ends the job.
  const auto never = shell("feedrate run scenarios/" + block + "--set '/cluster/booked=2 h'");
  CHECK(never.status == 2);
  CHECK(never.err.find("/cluster/booked") != std::string::npos);
  // With them it is a second block, a restart, and what came after the last checkpoint.
  const Run late(block +
                 "--set '/cluster/booked=2 h' --set '/job/checkpoint={\"interval\": \"25 min\", "
                 "\"size\": \"1 GB\", \"bandwidth\": \"100 GB/s\", \"restart\": \"10 min\"}'");
  CHECK(late("interruptions.blocks") == 2.0);
  CHECK(late("cost.money_usd") == Approx(8.0 * 4.0 * 3.825));
  // Work that comes after a block's last checkpoint is done again; only the rest is a restart.
  CHECK(late("interruptions.rework_s") == Approx(20.0 * 60.0).epsilon(0.01));
  CHECK(late("interruptions.restarts_s") == Approx(10.0 * 60.0).epsilon(0.01));
  CHECK(late("time.total_s") == Approx(3.5 * 3600.0).epsilon(0.001));
}

TEST_CASE("interrupted runs: contradictions are told by key, and all at once") {
  const auto refused = shell(
      "feedrate run scenarios/" + spot_job +
      " --set /cluster/spot/interruption_share_per_month=5% --set '/cluster/spot/fallback={}' "
      "--set '/cluster/failures={\"mttf\": \"100 h\", \"per_1000_node_days\": 3}'");
  CHECK(refused.status == 2);
  CHECK(refused.err.find("/cluster/spot/rate") != std::string::npos);
  CHECK(refused.err.find("/cluster/spot/fallback") != std::string::npos);
  CHECK(refused.err.find("per_1000_node_days or mttf") != std::string::npos);
  const auto unbooked =
      shell("feedrate run scenarios/total_cost_24h_p3.json --set purchase=training_plan");
  CHECK(unbooked.status == 2);
  CHECK(unbooked.err.find("/cluster/booked") != std::string::npos);
  const auto never =
      shell("feedrate run scenarios/" + spot_job +
            " --set '/cluster/spot/rate=20 /h' --set '/job/checkpoint/interval=9 h'");
  CHECK(never.status == 2);
  CHECK(never.err.find("would in effect never end") != std::string::npos);
}

TEST_CASE("interrupted runs: a block's price is the mean over jobs, some of which need another") {
  const std::string block =
      day_job +
      " --set purchase=capacity_block --set '/cluster/price=10 USD/h' "
      "--set /cluster/failures/mttf=40h --set '/job/checkpoint={\"interval\": "
      "\"30 min\", \"size\": \"1 GB\", \"bandwidth\": \"1 GB/s\"}' ";
  double before = 1.0;
  for (const double booked : {24.4, 24.8, 25.5, 27.0, 40.0}) {
    const Run run(block + "--set '/cluster/booked=" + std::to_string(booked) + " h'");
    const double blocks = run("interruptions.blocks");
    const double more = run("interruptions.more_blocks");
    INFO(booked << " h");
    CHECK(run("cost.money_usd") == Approx(10.0 * booked * blocks));
    CHECK(blocks == Approx(1.0 + more).epsilon(0.02));
    // The longer the block, the fewer jobs outlast it.
    CHECK(more <= before);
    before = more;
    CHECK(run("interruptions.money_p5_usd") == Approx(10.0 * booked));
    CHECK(run("interruptions.money_p95_usd") == Approx(10.0 * booked * (more > 0.05 ? 2.0 : 1.0)));
    CHECK(run.says("caveats", "beyond the booked time") == (more >= 0.005));
  }
  CHECK(before == 0.0);
  // A quiet day passes in 45 % of jobs (e^(-24 / 40) = 0.55), less those that lose little.
  const Run tight(block + "--set '/cluster/booked=24.05 h'");
  CHECK(tight("interruptions.more_blocks") == Approx(1.0 - std::exp(-0.6)).epsilon(0.1));
}

TEST_CASE("interrupted runs: bands and deadlines hold the course of interruptions") {
  const std::string job = day_job +
                          " --set /cluster/failures/mttf=40h --set '/job/checkpoint={\"restart\": "
                          "\"10 min\"}' ";
  const auto json = json_of("run scenarios/" + job + "--replications 400");
  // Nothing of it is uncertain but when it is interrupted, which 55 % of jobs are not.
  const auto band = at(*json, "result.bands.total_s").items;
  CHECK(band.at(0)->number == Approx(24.0 * 3600.0));
  CHECK(band.at(1)->number == Approx(24.0 * 3600.0));
  const double p95 = at(*json, "result.interruptions.total_p95_s").number;
  CHECK(band.at(2)->number == Approx(p95).epsilon(0.1));
}

TEST_CASE("interrupted runs: only the mean is refused by a block that is too short") {
  // Five minutes to restart, drawn up to twenty: those leave no room for a checkpoint.
  const std::string block = day_job +
                            " --set purchase=capacity_block --set '/job/checkpoint={\"interval\": "
                            "\"3.7 h\", \"size\": \"1 GB\", \"bandwidth\": \"1 GB/s\"}' ";
  const auto json = json_of("run scenarios/" + block + "--set '/cluster/booked=3.85 h'");
  const double never = at(*json, "result.bands.never_ends").number;
  CHECK(never > 0.2);
  CHECK(never < 0.5);
  CHECK(at(*json, "result.bands.total_s").items.at(2)->number < 1e7);
  const auto text = shell("feedrate run scenarios/" + block + "--set '/cluster/booked=3.85 h'");
  CHECK(text.out.find("of the draws") != std::string::npos);
  const auto refused = shell("feedrate run scenarios/" + block + "--set '/cluster/booked=3.75 h'");
  CHECK(refused.status == 2);
  CHECK(refused.err.find("or checkpoints that fit into a block") != std::string::npos);
  // Where a restart takes all of a block, checkpoints are no remedy.
  const auto restarts = shell("feedrate run scenarios/" + block +
                              "--set '/cluster/booked=1 h' --set /job/checkpoint/restart=61min");
  CHECK(restarts.status == 2);
  CHECK(restarts.err.find("training would go on after 61") != std::string::npos);
  CHECK(restarts.err.find("or restarts that fit into a block") != std::string::npos);
}

TEST_CASE("interrupted runs: SageMaker bills the start-up of no restart, EC2 that of each") {
  const auto billed = [](const std::string& instance, const std::string& startup) {
    const Run run(day_job + " --set /cluster/instance=" + instance +
                  " --set /cluster/failures/mttf=10h --set '/job/checkpoint={\"interval\": \"30 "
                  "min\", \"size\": \"1 GB\", \"bandwidth\": \"1 GB/s\", \"restart\": \"0 s\"}' "
                  "--set '/job/startup=" +
                  startup + "'");
    return run("cost.billed_time_s");
  };
  CHECK(billed("ml.p3.2xlarge", "8 min") == Approx(billed("ml.p3.2xlarge", "0 s")).epsilon(0.001));
  // The launch and about 2.5 restarts.
  CHECK(billed("p3.2xlarge", "8 min") - billed("p3.2xlarge", "0 s") ==
        Approx(3.5 * 480.0).epsilon(0.1));
}

TEST_CASE("interrupted runs: Young's and Daly's intervals go by what loses work") {
  const std::string announced = spot_job + " --set '/cluster/spot/notice=2 min'";
  CHECK(Run(announced).is_null("interruptions.young_interval_s"));
  CHECK(Run(announced).is_null("interruptions.daly_interval_s"));
  const Run both(announced + " --set /cluster/failures/mttf=30h");
  // A write of a second.
  CHECK(both("interruptions.young_interval_s") ==
        Approx(std::sqrt(2.0 * 1.0 * 30.0 * 3600.0)).epsilon(0.01));
}

TEST_CASE("interrupted runs: the chance of a deadline is that of jobs as chance has them") {
  const auto in_time = [](double mttf) {
    const auto json = json_of(
        "optimize scenarios/total_cost_24h_p3.json --set efficiency=1 --over instances=2 --set "
        "'/job/checkpoint={\"restart\": \"10 min\"}' --deadline 20h --minimize cost "
        "--replications 1000 --set /cluster/failures/mttf=" +
        std::to_string(mttf) + "h");
    CHECK(at(*json, "winner.set.instances").text == "2");
    return at(*json, "winner.chances.in_time").number;
  };
  // Twelve hours of work at a failure every 20 h, begun anew each time: n failures leave
  // 8 h - n / 6 h for what they lose (Erlang), and the last attempt has to last.
  const double rate = 1.0 / 20.0;
  double expected = 0.0;
  for (int n = 0; n <= 6; ++n) {
    const double room = rate * (8.0 - n / 6.0);
    double below = 1.0;
    double term = std::exp(-room);
    for (int k = 0; k < n; ++k) {
      below -= term;
      term *= room / (k + 1);
    }
    expected += below * std::exp(-rate * (12.0 + (n > 0 ? 1.0 / 6.0 : 0.0)));
  }
  const double now = in_time(40.0);
  CHECK(now == Approx(expected).margin(0.05));
  // Fewer failures never lower it, but for what a thousand jobs leave to chance.
  CHECK(in_time(60.0) >= now - 0.03);
  CHECK(in_time(1e5) == 1.0);
}

TEST_CASE("interrupted runs: spot instances are interrupted as published for their own region") {
  struct Published {
    const char* instance;
    const char* region;
    double share;  ///< middle of the bucket
  };
  const auto on_spot = [](const Published& of) {
    return Run(day_job +
               " --set purchase=spot --set '/cluster/price=1 USD/h' --set /cluster/spot={} --set "
               "/cluster/instance=" +
               of.instance + " --set region=" + of.region);
  };
  for (const Published& of :
       {Published{"g6e.xlarge", "us-east-1", 0.075}, Published{"g6e.xlarge", "us-west-2", 0.25},
        Published{"p4d.24xlarge", "us-east-1", 0.125},
        Published{"p4d.24xlarge", "ap-northeast-1", 0.025}}) {
    const Run run = on_spot(of);
    INFO(of.instance << " in " << of.region);
    CHECK(run("interruptions.between_interruptions_s") ==
          Approx(-730.0 * 3600.0 / std::log1p(-of.share)).epsilon(0.01));
    CHECK(!run.says("remarks", "is published for"));
  }
  CHECK(on_spot({"g6e.xlarge", "ap-east-1", 0.0}).says("remarks", "is published for g6e.xlarge"));
}

TEST_CASE("interrupted runs: a notice is told by the cloud that gives it") {
  const std::string on =
      day_job +
      " --set purchase=spot --set /cluster/spot={} --set '/job/checkpoint={"
      "\"size\": \"10 GB\", \"bandwidth\": \"1 GB/s\"}' --set /cluster/instance=";
  CHECK(Run(on + "p4d.24xlarge").says("remarks", "two minutes in which AWS announces"));
  CHECK(Run(on + "a2-highgpu-1g").says("remarks", "30 seconds in which Google Cloud announces"));
  CHECK(Run(on + "'NC24ads A100 v4'").says("remarks", "30 seconds in which Azure announces"));
  CHECK(!Run(on + "p4d.24xlarge --set '/job/checkpoint/size=200 GB'").says("remarks", "announces"));
  // Of no machine, no cloud is known.
  CHECK(!Run(spot_job).says("remarks", "announces"));
}

TEST_CASE("interrupted runs: jobs of very many interruptions are played too") {
  const auto job = [](const std::string& hours) {
    return Run(spot_job +
               " --set '/cluster/spot/rate=20 /h' --set '/job/checkpoint/interval=2 min' "
               "--set duration_on_one_instance=" +
               hours + "h");
  };
  const auto spread = [](const Run& run) {
    return (run("interruptions.total_p95_s") - run("interruptions.total_p5_s")) /
           run("time.total_s") * std::sqrt(run("interruptions.expected_interruptions"));
  };
  const Run whole = job("300");
  const Run part = job("600");
  CHECK(whole("interruptions.expected_interruptions") < 1e4);
  CHECK(part("interruptions.expected_interruptions") > 1e4);
  // Independent stretches: the spread falls with the root of their number.
  CHECK(spread(part) == Approx(spread(whole)).epsilon(0.15));
  CHECK(part("interruptions.total_p5_s") < part("time.total_s"));
  CHECK(part("time.total_s") < part("interruptions.total_p95_s"));
  // One stretch that 22,000 attempts fail: exponential.
  const Run endless(spot_job +
                    " --set '/cluster/spot/rate=0.5 /h' --set duration_on_one_instance=20h "
                    "--set '/job/checkpoint/interval=1000 h'");
  CHECK(endless("interruptions.total_p5_s") ==
        Approx(0.0513 * endless("time.total_s")).epsilon(0.3));
  CHECK(endless("interruptions.total_p95_s") ==
        Approx(2.996 * endless("time.total_s")).epsilon(0.1));
  CHECK(endless("interruptions.spot_loses") > 0.9);
}

TEST_CASE("interrupted runs: what never ends is refused everywhere, and its cause told") {
  const std::string never =
      day_job +
      " --set /cluster/failures/mttf=15min --set '/job/checkpoint={\"interval\": "
      "\"5 min\", \"size\": \"1 GB\", \"bandwidth\": \"1 GB/s\", \"restart\": \"3 h\"}' ";
  for (const char* command : {"run scenarios/", "scale scenarios/"}) {
    const auto refused = shell("feedrate " + (command + never) +
                               (command[0] == 's' ? "--set efficiency=1 --to 2" : ""));
    INFO(command);
    CHECK(refused.status == 2);
    CHECK(refused.err.find("a restart takes 3 h") != std::string::npos);
    CHECK(refused.err.find("is interrupted every 15 min") != std::string::npos);
  }
  const auto best =
      shell("feedrate optimize scenarios/" + never + "--set efficiency=1 --over instances=1:2:1");
  CHECK(best.status != 0);
  CHECK(best.err.find("would in effect never end") != std::string::npos);
}

TEST_CASE("interrupted runs: a headline tells what fewer interruptions would gain") {
  const auto text =
      shell("feedrate run scenarios/" + spot_job + " --set /job/checkpoint/restart=15h");
  CHECK(text.out.find("Interruptions cost most") != std::string::npos);
  CHECK(text.out.find("interruptions would finish the job") != std::string::npos);
  CHECK(text.out.find("waits for instances twice as fast") == std::string::npos);
}

TEST_CASE("interrupted runs: what spot saves is of the events where these are stated") {
  // Of batches that vary by twice their mean, the events and their mean are a quarter apart.
  const std::string job =
      "caltech256_p3.json --set num_workers=2 --set batch_size=8 --set make_cv=2 "
      "--set epochs=1 --set ";
  const Run spot(
      job +
      "purchase=spot --set '/cluster/price=1 USD/h' "
      "--set '/cluster/spot={\"rate\":\"0.01 /h\",\"on_demand_price\":\"2 USD/h\"}' --exact");
  const Run on_demand(job + "purchase=on_demand --set '/cluster/price=2 USD/h' --exact");
  const Run mean(job + "purchase=on_demand --set '/cluster/price=2 USD/h' --mean");
  CHECK(spot("interruptions.on_demand_usd") == Approx(on_demand("cost.money_usd")).epsilon(1e-3));
  CHECK(spot("interruptions.spot_saving") ==
        Approx(1.0 - spot("cost.money_usd") / on_demand("cost.money_usd")).epsilon(1e-3));
  CHECK(mean("cost.money_usd") > 1.1 * on_demand("cost.money_usd"));
}
