#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/number_text.hpp"
#include "bench/observe/kernel_file.hpp"
#include "bench/observe/machine.hpp"

namespace feedrate::bench::observe {
namespace {

struct LinkCounts {
  std::uint64_t received = 0, sent = 0;
};

struct Link {
  bool loopback = false;
  bool device = false;
  std::optional<double> rate;  ///< bytes a second, of the line
  LinkCounts before;
};

class Links : public Source {
 public:
  Links(const Roots& roots, const std::string& pid)
      : roots_(roots), file_(roots.proc + "/" + pid + "/net/dev") {}

  void look(Look& look) override {
    std::string_view text = file_.read();
    if (text.empty()) {
      look.remarks.emplace_back("the network is not seen: /proc/net/dev cannot be read");
      return;
    }
    double received[2] = {}, sent[2] = {};  // without a device, with one
    bool any[2] = {};
    take_line(text);
    take_line(text);
    while (!text.empty()) {
      std::string_view line = take_line(text);
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) continue;
      std::string_view name = line.substr(0, colon);
      name = take_word(name);
      line.remove_prefix(colon + 1);
      LinkCounts now;
      now.received = take_number(line);
      skip_words(line, 7);
      now.sent = take_number(line);
      if (now.received == 0 && now.sent == 0) continue;
      Link& link = link_of(std::string(name), now);
      const LinkCounts was = std::exchange(link.before, now);
      if (look.first()) continue;
      const double in = growth(now.received, was.received);
      const double out = growth(now.sent, was.sent);
      const std::string its_name(name);
      if (link.rate) {
        look.add(MetricId::link_busy, its_name,
                 std::min(100.0, 100.0 * in / look.length.base() / *link.rate));
      }
      look.rate(MetricId::link_receive, its_name, in);
      look.rate(MetricId::link_transmit, its_name, out);
      if (link.loopback) continue;
      any[link.device] = true;
      received[link.device] += in;
      sent[link.device] += out;
    }
    const bool devices = any[1];
    if (look.first() || !any[devices]) return;
    look.rate(MetricId::network_receive, "Platform", received[devices]);
    look.rate(MetricId::network_transmit, "Platform", sent[devices]);
  }

 private:
  Link& link_of(const std::string& name, const LinkCounts& now) {
    const auto [found, added] = links_.try_emplace(name);
    Link& link = found->second;
    if (!added) return link;
    const std::string folder = roots_.sys + "/class/net/" + name;
    struct stat status {};
    link.loopback = name == "lo";
    link.device = ::stat((folder + "/device").c_str(), &status) == 0;
    const std::string speed = text_of(folder + "/speed");  // -1 or an error where not known
    const auto megabits = number_of(std::string_view(speed).substr(0, speed.find('\n')));
    if (megabits && *megabits > 0.0) link.rate = *megabits * 1e6 / 8.0;
    link.before = now;
    return link;
  }

  Roots roots_;
  KernelFile file_;
  std::map<std::string, Link> links_;
};

}  // namespace

std::unique_ptr<Source> link_source(const Roots& roots, const std::string& pid) {
  return std::make_unique<Links>(roots, pid);
}

}  // namespace feedrate::bench::observe
