// The tuning tables of NCCL in an observation: a metric a cell.
#include "formats/nccl_tuning_lines.hpp"
#include "formats/recordings/line_kinds.hpp"

namespace feedrate::formats {
namespace {

class NcclTuning : public LineKind {
 public:
  bool read(std::string_view line, Collector& to) override {
    switch (lines_.read(line)) {
      case NcclTuningLines::Found::nothing: return false;
      case NcclTuningLines::Found::header: to.skip(skipped::header); return true;
      case NcclTuningLines::Found::row: break;
    }
    if (!lines_.headed()) return false;
    Row row(to);
    for (const NcclCell& cell : lines_.cells()) {
      const std::string name =
          lines_.collective() + "/" + cell.column.algorithm + "/" + cell.column.protocol;
      row.tell(MetricId::collective_latency, name, cell.latency * 1e-6);
      row.tell(MetricId::collective_bandwidth, name, cell.bandwidth * 1e9);
    }
    row.end(FormatId::nccl_tuning);
    return true;
  }

 private:
  NcclTuningLines lines_;
};

}  // namespace

std::unique_ptr<LineKind> nccl_tuning() {
  return std::make_unique<NcclTuning>();
}

}  // namespace feedrate::formats
