#include "rma/serve_check.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/fail.hpp"
#include "net/network.hpp"
#include "rma/known_exposures.hpp"
#include "rma/remote.hpp"
#include "rma/remote_records.hpp"

namespace armature::rma {

void on_check(const transport::Arrived& arrived) {
  const auto record = arrived.head<CheckRecord>();
  const auto name = arrived.rest(sizeof record);
  const std::string call(reinterpret_cast<const char*>(name.data()), name.size());
  if (net::network()->space_of(arrived.record.to) == nullptr)
    base::fail(Errc::corrupt, "a check elsewhere");
  const space::Mapping& mapping = net::network()->mapping();
  CheckedRecord checked{.request = record.request, .extent = mapping.extent(arrived.record.to)};
  if (const space::Exposures* const list = mapping.exposures(arrived.record.to))
    if (const auto range = list->holding(record.address, record.bytes)) {
      note_asker(Rank(arrived.record.to), arrived.process);
      checked.begin = range->begin;
      checked.bytes = range->bytes;
    }
  std::string text;
  try {
    (void)require_local(mapping, Rank(arrived.record.to),
                        reinterpret_cast<const void*>(record.address), record.bytes, call.c_str());
  } catch (const Error& error) {
    checked.code = static_cast<std::uint32_t>(error.code()) + 1;
    text = error.what();
    // The text before the call, which says who speaks, is removed: it is added again where the
    // error is thrown.
    if (const auto begin = text.find(call); begin != std::string::npos) text.erase(0, begin);
  }
  text.resize(std::min(text.size(), transport::Link::body_bytes_max - sizeof checked));
  std::byte* const body = net::network()
                              ->links()
                              .to(arrived.process)
                              .append(Kind::checked, arrived.record.to, arrived.record.from,
                                      sizeof checked + text.size(), transport::Link::Ack::none);
  std::memcpy(body, &checked, sizeof checked);
  std::memcpy(body + sizeof checked, text.data(), text.size());
}

}  // namespace armature::rma
