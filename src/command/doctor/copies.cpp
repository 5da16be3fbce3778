#include <fmt/format.h>

#include "armature/error.hpp"
#include "base/bytes.hpp"
#include "command/doctor/checks.hpp"
#include "copies/choice.hpp"
#include "copies/trial.hpp"

// The ways in which ranks of this node copy long transfers: chosen here as a job would choose.

namespace armature::command {
namespace {

using copies::Kind;
using copies::Size;

/// Lists the ways of one row of sizes: "avx2 to 16 KiB, ...".
std::string ways(const copies::Wanted& wanted, const copies::Processor& processor, bool is_skewed,
                 bool& has_tried) {
  std::string text;
  for (const Size size : {Size::page, Size::pages, Size::cached, Size::past_cache}) {
    const Kind kind{size, is_skewed};
    auto way = way_without_trial(wanted, processor, kind);
    if (!way) {
      has_tried = true;
      if (size != Size::past_cache) way = try_in_cache(kind).way;
    }
    const std::size_t end = size == Size::page     ? copies::page_max
                            : size == Size::pages  ? copies::pages_max
                            : size == Size::cached ? copies::past_cache_min()
                                                   : 0;
    text += fmt::format("{}{}", text.empty() ? "" : ", ",
                        way ? candidate(*way).name : "what the first of them shows");
    text += end != 0 ? fmt::format(" to {}", base::readable_bytes(end)) : " above";
  }
  return text;
}

}  // namespace

void check_copies(Findings& findings) {
  const auto processor = copies::this_processor();
  copies::Wanted wanted;
  try {
    wanted = copies::wanted_way();
  } catch (const Error& error) {
    findings.push_back(
        {"copies", Health::bad, error.what(), "set it to one of these, or unset it"});
    return;
  }
  bool has_tried = false;
  const std::string alike = ways(wanted, processor, false, has_tried);
  const std::string skewed = ways(wanted, processor, true, has_tried);
  const std::string name =
      processor.vendor.empty()
          ? std::string("this processor")
          : fmt::format("{} {:x}h/{:x}h", processor.vendor, processor.family, processor.model);
  findings.push_back({"copies", Health::note,
                      fmt::format("{}{}: {}; where source and target lie differently in their "
                                  "cache lines: {}",
                                  name,
                                  wanted.way  ? ", as ARMATURE_COPY says"
                                  : has_tried ? ", tried now"
                                              : ", which is known",
                                  alike, skewed),
                      ""});
}

}  // namespace armature::command
