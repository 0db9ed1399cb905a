#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <set>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/fingerprint.hpp"
#include "base/quote.hpp"
#include "base/secrets.hpp"
#include "base/today.hpp"
#include "base/unit_text.hpp"
#include "cli/catalog_import.hpp"
#include "cli/inputs.hpp"
#include "cli/interrupt.hpp"
#include "cli/parser.hpp"
#include "cli/status_line.hpp"
#include "cli/with_probes.hpp"
#include "formats/prices/catalog_import.hpp"
#include "report/csv.hpp"
#include "report/import_report.hpp"
#include "schema/catalog/catalog_reader.hpp"

namespace feedrate::cli {
namespace {

namespace fs = std::filesystem;

/// EC2's list of a large region has some 400 MB.
constexpr std::uint64_t largest_list = 2'000'000'000;
/// Azure sends 100 to 1,000 meters a page, of some 30,000 in a region.
constexpr std::size_t most_pages = 1000;
constexpr std::string_view region_place = "{region}";

struct PriceList {
  std::string_view name;
  std::string_view url;
};

/// What needs no account. AWS: "Getting price list files manually" of its billing guide; Azure:
/// "Azure Retail Prices overview" of Microsoft Learn; SkyPilot: the catalogue that its client reads
/// (HOSTED_CATALOG_DIR_URL). Its list of Google Cloud is not here: there GPUs are priced apart from
/// machines.
constexpr std::array<PriceList, 8> price_lists = {{
    {"aws",
     "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current/{region}/"
     "index.json"},
    {"sagemaker",
     "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonSageMaker/current/{region}/"
     "index.json"},
    {"s3",
     "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonS3/current/{region}/"
     "index.json"},
    {"efs",
     "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEFS/current/{region}/"
     "index.json"},
    {"fsx",
     "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonFSx/current/{region}/"
     "index.json"},
    {"azure",
     "https://prices.azure.com/api/retail/"
     "prices?api-version=2023-01-01-preview&meterRegion='primary'"
     "&$filter=serviceName%20eq%20'Virtual%20Machines'%20and%20priceType%20eq%20'Consumption'"
     "%20and%20armRegionName%20eq%20'{region}'"},
    {"skypilot", "https://skypilot-catalog.s3.us-east-1.amazonaws.com/catalogs/v7/aws/vms.csv"},
    {"skypilot", "https://skypilot-catalog.s3.us-east-1.amazonaws.com/catalogs/v7/azure/vms.csv"},
}};

void check_regions(const std::vector<std::string>& regions) {
  for (const std::string& region : regions) {
    const bool plain = !region.empty() && std::all_of(region.begin(), region.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
    if (!plain) {
      refuse_flag("--region", "expected a region such as us-east-1, got " + in_quotes(region));
    }
  }
}

/// An s3 URL would be signed with the user's key, which no list of prices needs to see.
void check_scheme(const std::string& source) {
  std::string scheme = source.substr(0, source.find("://"));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (scheme == "https" || scheme == "http") return;
  refuse_flag("--source",
              fmt::format("expected a URL that starts with https:// or http://, got {}{}",
                          in_quotes(url_without_secrets(source)),
                          scheme == "s3" ? ": requests for prices are not signed; a bucket that "
                                           "anybody may read has an https URL too"
                                         : ""));
}

/// The URLs to fetch, each once.
std::vector<std::string> urls_of(const UpdateArguments& arguments) {
  std::vector<std::string> urls;
  const auto add = [&](const std::string& source, const std::string& url) {
    if (url.find(region_place) == std::string::npos) return urls.push_back(url);
    if (arguments.regions.empty()) {
      refuse_flag("--source", fmt::format("{} has a list for each region: expected --region too, "
                                          "for instance --region us-east-1",
                                          in_quotes(url_without_secrets(source))));
    }
    for (const std::string& region : arguments.regions) {
      std::string one = url;
      for (std::size_t at = 0; (at = one.find(region_place, at)) != std::string::npos;) {
        one.replace(at, region_place.size(), region);
        at += region.size();
      }
      urls.push_back(std::move(one));
    }
  };
  for (const std::string& source : arguments.sources) {
    bool known = false;
    for (const PriceList& list : price_lists) {
      if (list.name != source) continue;
      add(source, std::string(list.url));
      known = true;
    }
    if (known) continue;
    if (source.find("://") == std::string::npos) {
      refuse_flag("--source",
                  "expected aws, sagemaker, s3, efs, fsx, azure, skypilot or a URL, got " +
                      in_quotes(url_without_secrets(source)));
    }
    check_scheme(source);
    add(source, source);
  }
  std::set<std::string> seen;
  std::erase_if(urls, [&](const std::string& url) { return !seen.insert(url).second; });
  return urls;
}

/// "https://prices.azure.com": a page may lead to another one of its own server alone.
std::string server_of(const std::string& url) {
  const std::size_t host = url.find("://");
  if (host == std::string::npos) return "";
  std::string server = url.substr(0, url.find_first_of("/?#\\", host + 3));
  for (const auto& [scheme, port] : {std::pair("https://", ":443"), std::pair("http://", ":80")}) {
    if (server.starts_with(scheme) && server.ends_with(port)) {
      server.resize(server.size() - std::string_view(port).size());
    }
  }
  return server;
}

/// What is fetched waits here until it is in the pricing files, so that an update that was
/// interrupted goes on where it was.
class Fetcher {
 public:
  Fetcher(const UpdateArguments& arguments, const ProbeWork& work, const std::string& pricing)
      : arguments_(arguments), work_(work), folder_(pricing + ".lists") {
    const ParsedQuantity limit = parse_quantity(arguments.time_limit, dimension_of(Duration{}));
    if (!limit.ok()) refuse_flag("--time-limit", limit.problem);
    if (limit.base <= 0.0) {
      refuse_flag("--time-limit",
                  "expected a time above 0, got " + in_quotes(arguments.time_limit));
    }
    constexpr double longest = 1e8;  // what a clock can count
    until_ =
        std::chrono::steady_clock::now() +
        std::chrono::milliseconds(static_cast<std::int64_t>(std::min(limit.base, longest) * 1e3));
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) throw HostError(folder_ + ": cannot be made: " + error.message());
    fs::permissions(folder_, fs::perms::owner_all, error);
  }

  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;
  ~Fetcher() {
    std::error_code ignored;
    fs::remove(folder_, ignored);  // which fails where something waits in it
  }

  /// One list, all its pages; wanted is of `machines`.
  formats::ImportedPrices fetch(const std::string& first, const formats::Wanted& machines) {
    formats::ImportedPrices whole;
    std::set<std::string> seen;
    const auto before = static_cast<std::ptrdiff_t>(files_.size());
    for (std::string url = first; !url.empty();) {
      const std::string shown = url_without_secrets(url);
      if (!seen.insert(url).second) throw InputError(shown + ": its pages lead round in a circle");
      if (seen.size() > most_pages) {
        throw InputError(fmt::format("{}: expected at most {} pages", shown, most_pages));
      }
      formats::ImportedPrices page = read(url, machines);
      std::string next = std::move(page.next);
      if (whole.source.empty()) {
        whole = std::move(page);
      } else {
        whole.prices.insert(whole.prices.end(), page.prices.begin(), page.prices.end());
        whole.storage.insert(whole.storage.end(), page.storage.begin(), page.storage.end());
      }
      if (!next.empty() && server_of(next) != server_of(url)) {
        throw InputError(fmt::format("{}: expected the next page on {}, got one on {}", shown,
                                     server_of(shown),
                                     in_quotes(server_of(url_without_secrets(next)))));
      }
      url = std::move(next);
    }
    if (whole.prices.empty() && whole.storage.empty()) {
      throw InputError(url_without_secrets(first) +
                       ": expected prices of machines in the catalogue, got none of any");
    }
    try {
      formats::keep_newest(whole, url_without_secrets(first));
    } catch (const InputError&) {
      // To go on with its pages would not help.
      std::for_each(files_.begin() + before, files_.end(), remove);
      throw;
    }
    return whole;
  }

  /// They are in the pricing files.
  void forget() {
    for (const std::string& file : files_) remove(file);
  }

 private:
  formats::ImportedPrices read(const std::string& url, const formats::Wanted& machines) {
    Fingerprint name;
    name.add(url);
    const std::string file = folder_ + "/" + name.text();
    const std::string shown = url_without_secrets(url);
    const auto came = [&](std::uint64_t size, std::uint64_t of) {
      constexpr std::uint64_t mega = 1'000'000;
      if (size / mega == shown_mega_) return;
      shown_mega_ = size / mega;
      status_.show(of > 0 ? fmt::format("{}: {} of {} MB", shown, size / mega, of / mega)
                          : fmt::format("{}: {} MB", shown, size / mega));
    };
    status_.show(shown);
    // Held until it is read, so that no other update puts another list there.
    const auto [changed, held] = work_.download(
        {url, file, arguments_.allow_http, largest_list, until_, came}, interrupt_.flag());
    files_.push_back(file);
    constexpr std::int64_t day = 86400;
    const std::string date = day_text(changed >= 0 ? std::min(changed / day, today()) : today());
    try {
      formats::ImportedPrices page =
          formats::read_price_file(file, arguments_.date, machines, date);
      std::error_code ignored;
      if (!fs::exists(file + ".tag", ignored)) remove(file);  // nothing could go on with it
      return page;
    } catch (const InputError& error) {
      remove(file);  // to go on with it would not help
      std::vector<Problem> problems = error.problems();
      for (Problem& problem : problems) {
        if (problem.file == file) problem.file = shown;
      }
      throw InputError(std::move(problems));
    }
  }

  static void remove(const std::string& file) {
    std::error_code ignored;
    fs::remove(file, ignored);
    fs::remove(file + ".tag", ignored);
  }

  const UpdateArguments& arguments_;
  const ProbeWork& work_;
  std::string folder_;
  std::chrono::steady_clock::time_point until_;
  std::vector<std::string> files_;
  std::uint64_t shown_mega_ = 0;
  Interrupt interrupt_;
  StatusLine status_;
};

/// A list that lost most of its machines is a broken one.
std::vector<Offer> gone_from(const Catalog& catalog, const formats::ImportedPrices& list,
                             const std::string& url) {
  if (list.source == formats::own_prices) return {};
  std::vector<Offer> gone = formats::missing_from(catalog, list);
  std::set<std::string> there;
  for (const formats::ImportedPrice& price : list.prices) {
    if (price.purchase != Purchase::on_demand) continue;
    there.insert(price.service + ' ' + price.region + ' ' + price.instance);
  }
  if (gone.size() > there.size()) {
    throw InputError(
        fmt::format("{}: expected a whole list, got prices of {} machines and regions, and none of "
                    "{} that have "
                    "one in the catalogue: feedrate catalog import FILE takes a part of a list",
                    url_without_secrets(url), there.size(), gone.size()));
  }
  return gone;
}

struct PricedJob {
  std::string file;
  schema::Document document;
  Scenario scenario;
};

std::vector<PricedJob> scenarios_of(const std::vector<std::string>& files) {
  std::vector<PricedJob> asked;
  std::vector<Problem> problems;
  for (const std::string& file : files) {
    const std::vector<Problem> of = problems_of([&] {
      schema::Document document = load_with_settings(file, {});
      Scenario scenario = scenario_of(document);
      asked.push_back({file, std::move(document), std::move(scenario)});
    });
    problems.insert(problems.end(), of.begin(), of.end());
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return asked;
}

report::Affected affected_by(const PricedJob& asked, const Catalog& before, const Catalog& after) {
  report::Affected out{asked.file, {}, {}, "", "", "", asked.scenario.currency};
  const auto ask = [&](const Catalog& catalog, std::optional<Money>& cost, std::string& stage) {
    for (const Problem& problem : problems_of([&] {
           const Result result = with_places(asked.document, [&] {
             return study::run(asked.scenario, catalog, nullptr, run_options({}));
           });
           cost = result.bill.money;
           stage =
               result.bottleneck.stage ? std::string(name_of(*result.bottleneck.stage)) : "none";
         })) {
      out.problem = problem.text();
    }
  };
  ask(before, out.before, out.bottleneck_before);
  if (!out.problem.empty()) out.problem = "before: " + out.problem;
  ask(after, out.after, out.bottleneck_after);
  return out;
}

}  // namespace

Parser* add_catalog_update(Parser& parent, UpdateArguments& arguments) {
  Parser* app = parent.add_subcommand(
      "update",
      "Fetch price lists, put them into your own pricing files, and say what that changes");
  app->add_option(
         "--source", arguments.sources,
         "aws (EC2, EBS, NAT gateways), sagemaker, s3, efs, fsx, azure, skypilot (AWS and "
         "Azure, on demand and spot), or the URL of a file as catalog import takes it, in which "
         "{region} stands for each --region; may be given several times")
      ->type_name("SOURCE")
      ->default_is("skypilot")
      ->allow_extra_args(false);
  app->add_option(
         "--region", arguments.regions,
         "Only prices of this region, which the catalogue covers from then on; may be given "
         "several times; needed for all but skypilot")
      ->type_name("REGION")
      ->allow_extra_args(false);
  app->add_option("--date", arguments.date, "Date on which the lists were made")
      ->type_name("YYYY-MM-DD")
      ->default_is(
          "what an AWS list states, else when the server says that the file was changed, else "
          "today");
  app->add_option(
         "--affects", arguments.affects,
         "Also say what these scenarios cost before and after, and what their bottleneck is")
      ->type_name("SCENARIO");
  app->add_flag("--dry-run", arguments.dry_run, "Print what would change without writing anything");
  app->add_flag(
      "--allow-http", arguments.allow_http,
      "Also fetch over http, where anybody on the way could change prices; this machine's "
      "own servers need no flag");
  app->add_option("--time-limit", arguments.time_limit, "Give up after this time")
      ->type_name("TIME")
      ->default_is("30 min");
  add_output_flags(*app, arguments.output, {"text", "csv", "markdown"});
  app->footer(
      "Nothing changes unless all lists came whole. What is interrupted is gone on with by the\n"
      "same command. The files are those of FEEDRATE_PRICING, else ~/.config/feedrate/pricing,\n"
      "which is made of the shipped ones and then takes their place.\n"
      "Examples:\n"
      "  feedrate catalog update --affects scenarios/*.json\n"
      "  feedrate catalog update --source aws --source sagemaker --region eu-west-1\n"
      "  feedrate catalog update --source https://mirror.example/prices.csv --dry-run");
  return app;
}

int update_prices(const UpdateArguments& given) {
  UpdateArguments arguments = given;
  if (arguments.sources.empty()) arguments.sources = {"skypilot"};
  check_regions(arguments.regions);
  const std::vector<std::string> urls = urls_of(arguments);
  const ProbeWork& work = with_probes();
  const std::vector<PricedJob> asked = scenarios_of(arguments.affects);
  std::error_code ignored;
  const std::string found = schema::own_pricing_folder();
  const std::string own = fs::weakly_canonical(found, ignored).string();
  std::vector<formats::ImportedPrices> lists;
  Fetcher fetcher(arguments, work, own);
  const formats::Wanted machines = formats::machines_of(whole_catalog());
  for (const std::string& url : urls) {
    formats::ImportedPrices list = fetcher.fetch(url, machines);
    if (!arguments.regions.empty()) {
      const std::set<std::string> regions(arguments.regions.begin(), arguments.regions.end());
      std::erase_if(list.prices,
                    [&](const auto& price) { return !regions.contains(price.region); });
      std::erase_if(list.storage,
                    [&](const auto& price) { return !regions.contains(price.region); });
      list.covered = regions;
      if (list.prices.empty() && list.storage.empty()) {
        throw InputError(fmt::format("{}: expected prices of {}, got none",
                                     url_without_secrets(url), fmt::join(arguments.regions, ", ")));
      }
    }
    lists.push_back(std::move(list));
  }

  // Others' changes are in what is read, or wait until it is written.
  std::optional<HeldFolder> held;
  const bool is_new = schema::find_pricing_folder() != found;
  if (!arguments.dry_run && !is_new) held.emplace(own);
  const Catalog catalog = whole_catalog();
  formats::ImportPlan plan;
  report::ImportSummary summary;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::vector<Offer> gone = gone_from(catalog, lists[i], urls[i]);
    summary.gone.insert(summary.gone.end(), gone.begin(), gone.end());
    plan = formats::plan_import(catalog.folder, catalog, lists[i], std::move(plan));
    if (summary.what.find(lists[i].what) == std::string::npos) {
      summary.what += (summary.what.empty() ? "" : "; ") + lists[i].what;
    }
    summary.date = std::max(summary.date, lists[i].date);
  }
  summary.folder = own;
  summary.dry_run = arguments.dry_run;
  summary.files = plan.files.size();
  summary.confirmed = plan.confirmed;
  summary.older = plan.older;
  summary.elsewhere = plan.elsewhere;
  summary.partial = plan.partial;
  const report::ImportChanges changes{plan.changes, plan.storage};
  if (!asked.empty()) {
    const Catalog after = formats::catalog_after(catalog.folder, plan);
    for (const PricedJob& one : asked) summary.affected.push_back(affected_by(one, catalog, after));
  }
  if (!arguments.dry_run && !plan.files.empty()) {
    if (is_new) {
      copy_with_files(catalog.folder, own, plan.files);
    } else {
      summary.as_one = formats::write_plan(*held, plan);
    }
  }
  fetcher.forget();
  deliver(arguments.output, arguments.affects,
          {.report = [&] { return report::import_report(changes, summary); },
           .json = {},
           .csv =
               [&] {
                 std::string text = report::to_csv(report::import_table(changes));
                 if (!summary.affected.empty()) {
                   text += '\n' + report::to_csv(report::affected_table(summary.affected));
                 }
                 return text;
               },
           .remarks = {}});
  return fine;
}

}  // namespace feedrate::cli
