// Manual pages, in the man macros of roff.
#include "command/describe/man_page.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

#include <fmt/format.h>

#include "armature/version.hpp"

namespace armature::command {
namespace {

/// Text as roff prints it: a dash stays one that can be copied, and no line is taken for a request.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (result.empty() || result.back() == '\n')
      if (c == '.' || c == '\'') result += "\\&";
    if (c == '-') {
      result += "\\-";
    } else if (c == '\\') {
      result += "\\e";
    } else {
      result += c;
    }
  }
  return result;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string header(const std::string& name, const std::string& title) {
  std::string small = title;
  if (!small.empty() && small.size() > 1 && std::islower(static_cast<unsigned char>(small[1])))
    small[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(small[0])));
  return fmt::format(".TH {} 1 \"\" \"Armature {}\" \"Armature\"\n.SH NAME\n{} \\- {}\n",
                     escaped(upper(name)), ARMATURE_VERSION_STRING, escaped(name), escaped(small));
}

std::string synopsis(const DescribedCommand& command) {
  std::string text = fmt::format("\\fB{}\\fR", escaped(command.name));
  if (!command.commands.empty()) text += " \\fICOMMAND\\fR";
  text += " [\\fIOPTIONS\\fR]";
  for (const DescribedOption& argument : command.positionals)
    text += fmt::format(" \\fI{}\\fR", escaped(argument.names.front()));
  return text + "\n";
}

void append_argument(std::string& page, const DescribedOption& option, bool is_positional) {
  page += ".TP\n";
  std::string separator;
  for (const std::string& name : option.names) {
    page += fmt::format("{}\\f{}{}\\fR", separator, is_positional ? 'I' : 'B', escaped(name));
    separator = ", ";
  }
  if (!option.placeholder.empty()) page += fmt::format(" \\fI{}\\fR", escaped(option.placeholder));
  page += "\n" + (option.help.empty() ? "\\&" : escaped(option.help)) + "\n";
}

void append_arguments(std::string& page, const DescribedCommand& command) {
  for (const DescribedOption& one : command.positionals) append_argument(page, one, true);
  for (const DescribedOption& one : command.options) append_argument(page, one, false);
}

/// The text below a help. Indented lines stay as they are; the others are filled. A line that ends
/// in a colon before indented ones is a heading.
class Footer {
 public:
  Footer(std::string& page, const char* heading, const char* other_text)
      : page_(page), heading_(heading), other_text_(other_text) {}

  void append(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool is_heading = lines[i].ends_with(':') && !is_literal(lines[i]) &&
                              i + 1 < lines.size() && is_literal(lines[i + 1]);
      add_line(lines[i], is_heading);
    }
    end_literal();
  }

 private:
  static bool is_literal(const std::string& line) { return line.starts_with("  "); }

  void add_line(const std::string& line, bool is_heading) {
    if (is_literal(line)) {
      if (!in_literal_) page_ += ".PP\n.nf\n";
      in_literal_ = true;
      page_ += escaped(line) + "\n";
      return;
    }
    end_literal();
    if (is_heading) {
      page_ += fmt::format("{} {}\n", heading_,
                           escaped(heading_ == std::string(".SH") ? upper(without_colon(line))
                                                                  : without_colon(line)));
      wants_heading_ = true;
    } else if (line.empty()) {
      begins_paragraph_ = true;
    } else {
      if (wants_heading_ && *other_text_ != 0)
        page_ += fmt::format("{} {}\n", heading_, other_text_);
      else if (begins_paragraph_)
        page_ += ".PP\n";
      wants_heading_ = begins_paragraph_ = false;
      page_ += escaped(line) + "\n";
    }
  }
  void end_literal() {
    if (in_literal_) page_ += ".fi\n";
    in_literal_ = false;
  }
  static std::string without_colon(const std::string& line) {
    return line.substr(0, line.size() - 1);
  }

  std::string& page_;
  const char* const heading_;
  const char* const other_text_;
  bool in_literal_ = false, wants_heading_ = true, begins_paragraph_ = false;
};

void append_see_also(std::string& page, const DescribedCommand& armature, const std::string& self) {
  std::string separator;
  page += ".SH SEE ALSO\n";
  const auto add = [&](const std::string& name) {
    if (name == self) return;
    page += fmt::format("{}\\fB{}\\fR(1)", separator, escaped(name));
    separator = ",\n";
  };
  add("armature");
  for (const DescribedCommand& command : armature.commands) add(man_page_name(command));
  page += "\n";
}

}  // namespace

std::string man_page_name(const DescribedCommand& command) {
  std::string name = command.name;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string man_page_of_all(const DescribedCommand& armature) {
  const std::string separator = ": ";
  const std::size_t colon = armature.title.find(separator);
  std::string page = header(armature.name, colon == std::string::npos
                                               ? armature.title
                                               : armature.title.substr(colon + separator.size()));
  page += ".SH SYNOPSIS\n" + synopsis(armature) + ".SH COMMANDS\n";
  for (const DescribedCommand& command : armature.commands)
    page += fmt::format(".TP\n\\fB{}\\fR\n{}. See \\fB{}\\fR(1).\n", escaped(last_word(command)),
                        escaped(command.title), escaped(man_page_name(command)));
  page += ".SH OPTIONS\n";
  append_arguments(page, armature);
  Footer(page, ".SH", "NOTES").append(armature.footer);
  append_see_also(page, armature, man_page_name(armature));
  return page;
}

std::string man_page(const DescribedCommand& command, const DescribedCommand& armature) {
  std::string page = header(man_page_name(command), command.title);
  page += ".SH SYNOPSIS\n" + synopsis(command) + ".SH OPTIONS\n";
  append_arguments(page, command);
  for (const DescribedCommand& below : command.commands) {
    page += fmt::format(".SH COMMAND {}\n{}.\n.PP\n{}", escaped(upper(last_word(below))),
                        escaped(below.title), synopsis(below));
    append_arguments(page, below);
    Footer(page, ".SS", "Notes").append(below.footer);
  }
  Footer(page, ".SH", "NOTES").append(command.footer);
  append_see_also(page, armature, man_page_name(command));
  return page;
}

}  // namespace armature::command
