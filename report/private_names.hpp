// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "summary/summary.hpp"

namespace meridian {

/// Texts of a page that may be sent to others: hosts get numbers ("host1"), of paths the last part stays, addresses of the network become
/// "address". Values of environment variables stay only if they are settings of Meridian or OpenMP.
class PrivateNames {
 public:
  using Json = nlohmann::ordered_json;

  explicit PrivateNames(const Summary& summary);

  std::string in(std::string_view text) const;
  /// All texts of what `meridian stats --json` prints.
  void apply_to_summary(Json& summary) const;
  /// The texts of a page's timeline; what is packed has none.
  void apply_to_timeline(Json& timeline) const;

 private:
  void apply(Json& value) const;
  void append_words(std::string_view token, std::string& found) const;
  void add_host(const std::string& host);
  std::string_view host_number(std::string_view word) const;

  std::vector<std::pair<std::string, std::string>> hosts_;  // name, what replaces it
};

}  // namespace meridian
