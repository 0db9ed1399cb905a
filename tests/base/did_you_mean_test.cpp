#include "base/did_you_mean.hpp"

#include <vector>

#include "base/quote.hpp"
#include "tests/catch.hpp"

using namespace feedrate;

namespace {

const std::vector<std::string> keys = {"num_workers", "batch_size", "prefetch_factor", "samples"};

TEST_CASE("did you mean: the nearest name, by letters changed, lost, added or swapped") {
  CHECK(nearest("num_worker", keys) == "num_workers");
  CHECK(nearest("smaples", keys) == "samples");
  CHECK(nearest("BATCH_SIZE", keys) == "batch_size");
  CHECK(nearest("prefetch_facotr", keys) == "prefetch_factor");
  CHECK(did_you_mean("batchsize", keys) == " (did you mean \"batch_size\"?)");
}

TEST_CASE("did you mean: the only name that the word begins, before those that are spelled alike") {
  const std::vector<std::string> loader = {"loader.read_cv", "loader.prefetch_factor",
                                           "loader.pin_memory"};
  CHECK(nearest("loader.prefetch", loader) == "loader.prefetch_factor");
  CHECK(nearest("loader.pin", loader) == "loader.pin_memory");
  CHECK(nearest("loader.read_c", loader) == "loader.read_cv");
  CHECK(nearest("TF.Data", std::vector<std::string>{"tf.data-service", "tf.data"}) == "tf.data");
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
  CHECK(did_you_mean("them", twice) == R"( (did you mean "first-of-them" or "last-of-them"?))");
}

TEST_CASE("did you mean: a word that people use for a longer name, in the singular or the plural") {
  CHECK(did_you_mean("workers", keys) == " (did you mean \"num_workers\"?)");
  CHECK(did_you_mean("worker", keys) == " (did you mean \"num_workers\"?)");
  CHECK(did_you_mean("batch", keys) == " (did you mean \"batch_size\"?)");
  CHECK(did_you_mean("sample", keys) == " (did you mean \"samples\"?)");
  const std::vector<std::string> machines = {"g5.xlarge",  "g5.2xlarge",  "g5.4xlarge",
                                             "g5.8xlarge", "g5.16xlarge", "g6.xlarge"};
  CHECK(did_you_mean("g5", machines) ==
        R"( (did you mean "g5.xlarge", "g5.2xlarge", "g5.4xlarge", "g5.8xlarge" …?))");
  CHECK(did_you_mean("g", machines).empty());
  CHECK(did_you_mean("g7", machines).empty());
}

TEST_CASE("did you mean: nothing when no name is near, or the word is no word") {
  CHECK(nearest("gradient", keys).empty());
  CHECK(nearest("", keys).empty());
  CHECK(nearest(std::string(100000, 's'), keys).empty());
  CHECK(nearest("samples", {}).empty());
  CHECK(did_you_mean("gradient", keys).empty());
}

TEST_CASE("did you mean: the nearest few of all, where none is near") {
  const std::vector<std::string> names = {"num_workers", "cores", "source", "step", "zones"};
  CHECK(nearest_of_all("Scores", names, 2) == std::vector<std::string>{"cores", "zones"});
  CHECK(nearest_of_all("nosuch", names, 2).size() == 2);
  CHECK(nearest_of_all("steps", names, 9).size() == names.size());
  CHECK(nearest_of_all("steps", names, 1) == std::vector<std::string>{"step"});
  CHECK(nearest_of_all("", names, 3).empty());
  CHECK(nearest_of_all(std::string(1000, 'x'), names, 3).empty());
}

TEST_CASE("quote: control characters, broken UTF-8 and length never reach the terminal") {
  CHECK(in_quotes("a b") == "\"a b\"");
  CHECK(in_quotes("a\nb\tc\x1b") == "\"a\\nb\\tc\\x1b\"");
  CHECK(in_quotes("µs") == "\"µs\"");
  CHECK(in_quotes("a\xff") == "\"a\xEF\xBF\xBD\"");
  CHECK(in_quotes(std::string(100, 'x'), 5) == "\"xxxxx…\"");
}

}  // namespace
