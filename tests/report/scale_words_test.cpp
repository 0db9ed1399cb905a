// What is said of instances beyond the quickest, from curves made by hand.
#include "report/scale_words.hpp"

#include "report/render.hpp"
#include "report/reports.hpp"

#include "catch.hpp"

using namespace feedrate;

namespace {

ScaleRow row_of(double instances, double hours_taken) {
  ScaleRow row;
  row.instances = instances;
  row.point.result.times.total = hours(hours_taken);
  return row;
}

ScaleCurve curve_of(const ScaleRow& beyond) {
  ScaleCurve curve;
  curve.to = beyond.instances;
  curve.rows = {row_of(1, 8), row_of(4, 2), beyond};
  curve.least.instances = 4;
  curve.least.outlay.time = hours(2);
  curve.fastest = curve.least;
  return curve;
}

std::string said_of(const ScaleCurve& curve) {
  Scaling scaling;
  scaling.curves = {curve};
  std::string all;
  for (const std::string& text : report::scale_answers(scaling, curve, true)) all += text + "\n";
  return all;
}

}  // namespace

TEST_CASE("scale: rounding is said of the rows that round, and a guess of those that guess") {
  ScaleRow quicker = row_of(6, 1);
  quicker.rounded = true;
  CHECK(said_of(curve_of(quicker)).find("share the global batch only by rounding") !=
        std::string::npos);
  quicker.rounded = false;
  quicker.step_is_guess = true;
  const std::string guessed = said_of(curve_of(quicker));
  CHECK(guessed.find("rounding") == std::string::npos);
  CHECK(guessed.find("6 instances would take 1.00 h, if the step") != std::string::npos);
  ScaleRow slower = row_of(6, 3);
  CHECK(said_of(curve_of(slower)).find("takes longer again.") != std::string::npos);
  slower.point.result.lost_to_scaling.emplace();
  (*slower.point.result.lost_to_scaling)[Stage::decode] = 0.1;
  (*slower.point.result.lost_to_scaling)[Stage::download] = 0.4;
  CHECK(said_of(curve_of(slower)).find("again; 6 instances lose most to download.") !=
        std::string::npos);
}

TEST_CASE(
    "scale: a row that rounds and one whose step is a guess have a sign and a footnote each") {
  const auto table = [](const ScaleRow& beyond, bool brief) {
    Scaling scaling;
    scaling.curves = {curve_of(beyond)};
    scaling.recommended = scaling.curves.front().least;
    return to_text(
        brief ? report::scale_brief(scaling, "job") : report::scale_report(scaling, "job"), {});
  };
  const auto has = [](const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
  };
  for (const bool brief : {false, true}) {
    ScaleRow row = row_of(6, 1);
    CHECK_FALSE(has(table(row, brief), "6*"));
    CHECK_FALSE(has(table(row, brief), "†"));
    row.step_is_guess = true;
    CHECK(has(table(row, brief), " 6† "));
    CHECK(has(table(row, brief), "† The step at this batch is a guess"));
    CHECK_FALSE(has(table(row, brief), "* The global batch"));
    row.rounded = true;
    CHECK(has(table(row, brief), " 6*† "));
    CHECK(has(table(row, brief), "* The global batch does not divide evenly"));
  }
}
