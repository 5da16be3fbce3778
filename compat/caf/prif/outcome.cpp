#include "outcome.hpp"

#include <string>

namespace caf::prif {
namespace {

int status_of(int stat, Statement statement) {
  if (statement == Statement::lock && stat == stat::locked) return status::locked;
  if (statement == Statement::unlock && stat == stat::unlocked) return status::unlocked;
  if (statement == Statement::unlock && stat == stat::locked_other_image)
    return status::locked_other_image;
  if (stat == stat::failed_image) return status::failed_image;
  if (stat == stat::stopped_image) return status::stopped_image;
  return stat == stat::allocation ? status::out_of_memory : stat;
}

}  // namespace

void report(const char* name, const Outcome& outcome, Statement statement,
            const std::exception& error) {
  char words[512];
  int stat = 0;
  caf::report(name, {outcome.stat == nullptr ? nullptr : &stat, words, sizeof words}, error);
  *outcome.stat = status_of(stat, statement);
  std::string_view said(words, sizeof words);
  said = said.substr(0, said.find_last_not_of(' ') + 1);
  if (outcome.message != nullptr) write_fixed(*outcome.message, said);
  if (outcome.own_message != nullptr) write_allocatable(*outcome.own_message, said);
}

}  // namespace caf::prif
