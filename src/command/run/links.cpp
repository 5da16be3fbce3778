// The file: a first line that says how many ranks the job had, a line "RANK PARTNER BYTES" for each
// two of them that had to do with each other, and a last line by which one that was cut off is
// told.
#include "command/run/links.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/write_all.hpp"
#include "command/run/console.hpp"
#include "wait/recorded_links.hpp"

namespace armature::command {
namespace {

constexpr std::string_view words_before_ranks = "armature links of ranks: ";
constexpr std::string_view line_at_end = "end";
// Sums of all links are numbers with a sign.
constexpr std::uint64_t bytes_max = std::uint64_t{1} << 60;

/// Takes a number off the front, and the space behind it. False when there is none.
bool take_number(std::string_view& text, std::uint64_t& number) {
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || (behind != end && *behind != ' ')) return false;
  text.remove_prefix(static_cast<std::size_t>(behind - text.data()));
  if (text.size() > 1) text.remove_prefix(1);
  return true;
}

class LinkReader {
 public:
  explicit LinkReader(const std::string& path) : path_(path), file_(path) {
    if (!file_) base::fail(Errc::start, fmt::format("--place: {} cannot be read", path));
  }

  Links read(std::uint32_t ranks) {
    Links links{.ranks = ranks, .bytes = {}};
    read_ranks(ranks);
    links.bytes.resize(std::size_t{ranks} * ranks);
    while (next() && line_ != line_at_end) add(links);
    if (line_ != line_at_end) fail("the file ends before its last line, 'end': it is not whole");
    if (next()) fail("there is something behind the last line, 'end'");
    return links;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    base::fail(Errc::start, fmt::format("--place: {}, line {}: {}", path_, number_, why));
  }
  bool next() {
    ++number_;
    return static_cast<bool>(std::getline(file_, line_));
  }
  void read_ranks(std::uint32_t ranks) {
    std::uint64_t found = 0;
    const bool is_there = next() && std::string_view(line_).starts_with(words_before_ranks);
    std::string_view rest(line_);
    if (is_there) rest.remove_prefix(words_before_ranks.size());
    if (!is_there || !take_number(rest, found) || !rest.empty())
      fail(fmt::format("it begins with '{}', not with '{}N': it is no file of --record-links",
                       line_.substr(0, 60), words_before_ranks));
    if (found != ranks)
      fail(fmt::format("it was recorded with {} ranks, and this job has {}", found, ranks));
  }
  void add(Links& links) {
    std::string_view rest(line_);
    std::uint64_t rank = 0, partner = 0, bytes = 0;
    if (!take_number(rest, rank) || !take_number(rest, partner) || !take_number(rest, bytes) ||
        !rest.empty())
      fail(fmt::format("'{}' is not 'RANK PARTNER BYTES'", line_.substr(0, 60)));
    if (rank >= links.ranks || partner >= links.ranks)
      fail(fmt::format("'{}': there are ranks 0 to {}", line_, links.ranks - 1));
    if (bytes > bytes_max - sum_) fail(fmt::format("'{}': so many bytes are not possible", line_));
    sum_ += bytes;
    links.bytes[static_cast<std::size_t>(rank * links.ranks + partner)] += bytes;
  }

  const std::string& path_;
  std::ifstream file_;
  std::string line_;
  std::uint64_t number_ = 0, sum_ = 0;
};

}  // namespace

Links read_links(const std::string& path, std::uint32_t ranks) {
  return LinkReader(path).read(ranks);
}

RecordedLinks::RecordedLinks(std::string path, std::uint32_t ranks)
    : path_(std::move(path)), ranks_(ranks) {
  unsetenv(wait::links_variable);  // the program of a job may be one that has a launcher of its own
  if (path_.empty()) return;
  if (ranks > wait::links_ranks_max)
    base::fail(Errc::start, fmt::format("--record-links: {} ranks are too many: it is for {}",
                                        ranks, wait::links_ranks_max));
  output_ =
      base::FileDescriptor(open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (output_) table_ = base::FileDescriptor(memfd_create("armature-links", MFD_CLOEXEC));
  const std::size_t bytes = std::size_t{ranks} * ranks * sizeof(std::uint64_t);
  if (!table_ || ftruncate(table_.get(), static_cast<off_t>(bytes)) != 0)
    base::fail(Errc::start, fmt::format("--record-links: {} cannot be written: {}", path_,
                                        base::system_text(errno)));
  setenv(wait::links_variable, fmt::format("/proc/{}/fd/{}", getpid(), table_.get()).c_str(), 1);
}

RecordedLinks::~RecordedLinks() { unsetenv(wait::links_variable); }

bool RecordedLinks::write() const {
  if (path_.empty()) return true;
  const auto fail = [&](int error) {
    say_headline(
        fmt::format("--record-links: {} cannot be written: {}", path_, base::system_text(error)));
    return false;
  };
  std::string text = fmt::format("{}{}\n", words_before_ranks, ranks_);
  std::vector<std::uint64_t> row(ranks_);
  const std::size_t bytes = row.size() * sizeof(std::uint64_t);
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    if (pread(table_.get(), row.data(), bytes, static_cast<off_t>(rank * bytes)) !=
        static_cast<ssize_t>(bytes))
      return fail(errno);
    for (std::uint32_t partner = 0; partner < ranks_; ++partner)
      if (row[partner] != 0) text += fmt::format("{} {} {}\n", rank, partner, row[partner]);
  }
  text += fmt::format("{}\n", line_at_end);
  errno = 0;
  return base::write_all(output_.get(), text.data(), text.size()) ? true : fail(errno);
}

}  // namespace armature::command
