#include "base/did_you_mean.hpp"

#include <vector>

#include "base/quote.hpp"
#include "tests/catch.hpp"

namespace feedrate {
namespace {

const std::vector<std::string> keys = {"num_workers", "batch_size", "prefetch_factor", "samples"};

TEST_CASE("did you mean: the nearest name, by letters changed, lost, added or swapped") {
  CHECK(nearest("num_worker", keys) == "num_workers");
  CHECK(nearest("smaples", keys) == "samples");
  CHECK(nearest("BATCH_SIZE", keys) == "batch_size");
  CHECK(nearest("prefetch_facotr", keys) == "prefetch_factor");
  CHECK(did_you_mean("batchsize", keys) == " (did you mean \"batch_size\"?)");
}

TEST_CASE("did you mean: the only name of which the word is a part") {
  const std::vector<std::string> services = {"s3", "gcs", "azure-blob", "fsx-lustre", "efs", "nfs"};
  CHECK(nearest("azure", services) == "azure-blob");
  CHECK(nearest("Blob", services) == "azure-blob");
  CHECK(nearest("lustre", services) == "fsx-lustre");
  CHECK(nearest("azure_blob", services) == "azure-blob");
  CHECK(nearest("NFS", services) == "nfs");
  CHECK(nearest("zur", services).empty());
  const std::vector<std::string> twice = {"first-of-them", "last-of-them", "a-themselves"};
  CHECK(nearest("them", twice).empty());
}

TEST_CASE("did you mean: nothing when no name is near, or the word is no word") {
  CHECK(nearest("gradient", keys).empty());
  CHECK(nearest("", keys).empty());
  CHECK(nearest(std::string(100000, 's'), keys).empty());
  CHECK(nearest("samples", {}).empty());
  CHECK(did_you_mean("gradient", keys).empty());
}

TEST_CASE("quote: control characters, broken UTF-8 and length never reach the terminal") {
  CHECK(in_quotes("a b") == "\"a b\"");
  CHECK(in_quotes("a\nb\tc\x1b") == "\"a\\nb\\tc\\x1b\"");
  CHECK(in_quotes("µs") == "\"µs\"");
  CHECK(in_quotes("a\xff") == "\"a\xEF\xBF\xBD\"");
  CHECK(in_quotes(std::string(100, 'x'), 5) == "\"xxxxx…\"");
}

}  // namespace
}  // namespace feedrate
