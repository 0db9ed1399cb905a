// What of a command line may be written down.
#include "base/secrets.hpp"

#include <utility>

#include "catch.hpp"

using namespace feedrate;

namespace {

std::string written(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : command_without_secrets(words)) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

}  // namespace

TEST_CASE("secrets: what a name says is one is replaced, by itself or behind its flag") {
  CHECK(written({"train.py", "--token", "abc", "--epochs", "3"}) ==
        "train.py --token *** --epochs 3");
  CHECK(written({"--api-key=abc"}) == "--api-key=***");
  CHECK(written({"--hfApiKey", "abc"}) == "--hfApiKey ***");
  CHECK(written({"--db_password=a b", "x"}) == "--db_password=*** x");
  CHECK(written({"env", "WANDB_API_KEY=abc", "AWS_SECRET_ACCESS_KEY=abc/+", "python"}) ==
        "env WANDB_API_KEY=*** AWS_SECRET_ACCESS_KEY=*** python");
  for (const std::string flag :
       {"--wandb-key", "--neptune-key", "--comet_key", "--ssh-pass", "--pass", "--pw", "--auth",
        "--wandbKey", "--storage-key", "--dbPass"}) {
    CHECK(written({"true", flag, "pw1", "x"}) == "true " + flag + " *** x");
    CHECK(written({"true", flag + "=pw1", "x"}) == "true " + flag + "=*** x");
  }
  CHECK(written({"env", "PGPASSWORD=a", "SSHPASS=b", "WANDB_KEY=c", "psql"}) ==
        "env PGPASSWORD=*** SSHPASS=*** WANDB_KEY=*** psql");
  CHECK(written({"-H", "Authorization: Bearer abc"}) == "-H Authorization: ***");
  CHECK(written({"bash", "-c", "HF_TOKEN=abc  python t.py --password abc --lr 0.1"}) ==
        "bash -c HF_TOKEN=***  python t.py --password *** --lr 0.1");
  CHECK(written({"sh", "-c", "TOKEN='a b' python t.py"}) == "sh -c TOKEN=*** python t.py");
  CHECK(written({"sh", "-c", "exec sh -c 'python t.py --token abc'"}) ==
        "sh -c exec sh -c 'python t.py --token ***'");
  CHECK(written({"bash", "-c", "curl -H 'Authorization: Bearer abc' x"}) ==
        "bash -c curl -H 'Authorization: *** x");
}

TEST_CASE("secrets: keys are known by their form, wherever they stand") {
  const std::string long_key(36, 'x');
  for (const std::string& key :
       std::vector<std::string>{"AKIAIOSFODNN7EXAMPLE", "ghp_" + long_key, "hf_" + long_key,
                                "sk-" + long_key, "glpat-" + long_key, "AIza" + long_key,
                                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_-def"}) {
    INFO(key);
    CHECK(written({key}) == "***");
    CHECK(written({"--id=" + key, "n"}) == "--id=*** n");
    CHECK(written({"--header", "x:" + key + ";y"}) == "--header x:***;y");
  }
}

TEST_CASE("secrets: of a URL the host and the path are kept") {
  CHECK(written({"https://user:pass@host/a?X-Amz-Signature=abc#x"}) == "https://host/a");
  CHECK(written({"--store=s3://key:secret@bucket/a"}) == "--store=s3://bucket/a");
  CHECK(written({"http://host:8080/a@b"}) == "http://host:8080/a@b");
}

TEST_CASE("secrets: what is none stays as it is typed") {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"python", "train.py", "--max-tokens", "512", "--tokenizer", "gpt2"},
           {"torchrun", "--nproc-per-node=8", "-m", "mine.train", "--lr=1e-3", "a  b"},
           {"./run.sh", "--keys", "image,label", "--monkey", "x", "sk-learn", "eyJ"},
           {"--image-key", "jpg", "--sort-key=a", "--passes", "3", "--pass-through", "x",
            "--auth-type", "none", "--bypass", "x", "--key", "image", "--patch", "16"},
           {"", "-", "--", "=", "a=", ":"}}) {
    CHECK(command_without_secrets(words) == words);
  }
  CHECK(command_without_secrets({}).empty());
}
