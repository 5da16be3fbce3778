#include "debian/package_graph.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace debian {
namespace {

struct FieldName {
  Field field;
  std::string_view option;
  std::string_view title;
};

constexpr std::array field_names = {
    FieldName{Field::depends, "depends", "Depends"},
    FieldName{Field::pre_depends, "pre-depends", "Pre-Depends"},
    FieldName{Field::recommends, "recommends", "Recommends"},
    FieldName{Field::suggests, "suggests", "Suggests"},
};

}  // namespace

Fields Fields::parse(std::string_view list) {
  Fields fields;
  while (true) {
    const auto comma = list.find(',');
    const auto word = list.substr(0, comma);
    const auto* name = std::find_if(field_names.begin(), field_names.end(),
                                    [word](const FieldName& each) { return each.option == word; });
    if (name == field_names.end()) {
      throw std::invalid_argument("no dependency field is called '" + std::string(word) +
                                  "'; choose from depends, pre-depends, recommends, suggests");
    }
    fields = fields | name->field;
    if (comma == std::string_view::npos) return fields;
    list.remove_prefix(comma + 1);
  }
}

std::string Fields::to_string() const {
  std::string text;
  for (const FieldName& name : field_names) {
    if (!meets(name.field)) continue;
    if (!text.empty()) text += ", ";
    text += name.title;
  }
  return text;
}

std::size_t PackageGraph::count_links(Fields fields) const {
  return static_cast<std::size_t>(
      std::count_if(links.begin(), links.end(),
                    [fields](const Link& link) { return link.fields.meets(fields); }));
}

}  // namespace debian
