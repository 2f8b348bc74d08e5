// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "table_rows.hpp"
#include "trace/model/call_id.hpp"

namespace meridian {
namespace {

using table::kRows;
using table::Row;
using testing::Contains;
using Names = std::vector<std::string>;

constexpr std::string_view kOtherNames[] = {
#define MERIDIAN_OTHER_CALL(id, printed, group, use, waits) printed,
#include "trace/model/other_calls.def"
};

/// The words of the column `recorded`.
const std::set<std::string> kVocabulary{
#define MERIDIAN_WORD(word, role, blocks, poll) #word,
#define MERIDIAN_COLLECTIVE(word, shape, bytes) #word,
#include "trace/model/call_words.def"
};
/// Forms that may enclose a word.
const std::set<std::string> kForms{"Requested", "Persistent", "WithStatus", "ByHand", "COnly", "NoF08"};

bool in_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Identifiers and numbers of a piece of C, in order.
Names words(std::string_view text) {
  Names found;
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), in_identifier);
    at = std::find_if_not(begin, text.end(), in_identifier);
    if (begin != at) found.emplace_back(begin, at);
  }
  return found;
}

/// Names of the parameters: of each, the last word before its brackets.
Names parameter_names(std::string_view params) {
  Names found;
  std::string text{params.substr(1, params.size() - 2)};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const Names in_one = words(std::string_view{text}.substr(begin, std::min(end, text.find('[', begin)) - begin));
    if (!in_one.empty() && in_one.back() != "void") found.push_back(in_one.back());
    begin = end + 1;
  }
  return found;
}

bool has_parameter(const Row& row, std::string_view declaration) {
  return row.params.find(std::string{declaration} + ",") != std::string_view::npos ||
         row.params.find(std::string{declaration} + ")") != std::string_view::npos;
}

TEST(CallTable, NamesNoCallTwice) {
  std::set<std::string_view> seen;
  for (const Row& row : kRows) EXPECT_TRUE(seen.insert(row.name).second) << row.name << " has two rows";
}

TEST(CallTable, GivesEveryRowAnIdAndMpiTheFirstOnes) {
  EXPECT_EQ(kMpiCallCount, std::size(kRows));
  EXPECT_EQ(kCallCount, 1 + std::size(kRows) + std::size(kOtherNames));
  EXPECT_TRUE(is_mpi(static_cast<CallId>(1)));
  EXPECT_TRUE(is_mpi(static_cast<CallId>(kMpiCallCount)));
  EXPECT_FALSE(is_mpi(CallId::none));
  EXPECT_FALSE(is_mpi(CallId::pthread_create));
}

TEST(CallTable, NamesOtherCallsAsTheirHeadersDoAndNoneTwice) {
  std::set<std::string_view> seen;
  for (std::size_t i = 1; i < kCallCount; ++i) {
    const std::string_view name = kCalls[i].name;
    EXPECT_TRUE(seen.insert(name).second) << name << " has two rows";
    EXPECT_EQ(is_mpi(static_cast<CallId>(i)), name.starts_with("MPI_")) << name;
  }
  EXPECT_EQ(info(CallId::pthread_mutex_lock).name, "pthread_mutex_lock");
  EXPECT_EQ(info(CallId::UserRegion).name, "meridian_region");
}

TEST(CallTable, FindsEveryCallByItsName) {
  for (std::size_t i = 1; i < kCallCount; ++i) {
    const auto id = static_cast<CallId>(i);
    EXPECT_EQ(call_by_name(info(id).name), id) << info(id).name;
    if (i <= kMpiCallCount) {
      EXPECT_EQ(info(id).name, "MPI_" + std::string{kRows[i - 1].name});
    } else {
      EXPECT_EQ(info(id).name, kOtherNames[i - 1 - kMpiCallCount]);
    }
  }
}

TEST(CallTable, FindsNoCallUnderAnyOtherName) {
  for (const std::string_view name : {"", "Send", "MPI_", "mpi_send", "MPI_Send ", "PMPI_Send", "MPI_send"})
    EXPECT_EQ(call_by_name(name), CallId::none) << name;
}

TEST(CallTable, PutsEveryCallIntoAGroupAndACallIntoEveryGroup) {
  std::map<CallGroup, int> calls;
  for (std::size_t i = 1; i < kCallCount; ++i) {
    const CallGroup group = info(static_cast<CallId>(i)).group;
    ++calls[group];
    if (i <= kMpiCallCount) {
      EXPECT_EQ(kGroups[static_cast<std::size_t>(group)].name, kRows[i - 1].group);
    }
  }
  EXPECT_EQ(calls.count(CallGroup::none), 0U);
  EXPECT_EQ(calls.size(), kGroups.size() - 1);
}

TEST(CallTable, ForwardsEveryParameterInOrder) {
  for (const Row& row : kRows) EXPECT_EQ(words(row.args), parameter_names(row.params)) << row.name;
}

TEST(CallTable, RecordsOnlyParametersInWordsOfTheVocabulary) {
  for (const Row& row : kRows) {
    Names allowed = parameter_names(row.params);
    allowed.insert(allowed.end(), {"1", "MPI_COMM_NULL"});
    const Names said = words(row.recorded);
    ASSERT_FALSE(said.empty()) << row.name;
    const std::size_t builders = kForms.contains(said.front()) ? 2 : 1;
    EXPECT_EQ(kVocabulary.count(said[builders - 1]), 1U) << row.name << " records " << row.recorded;
    for (std::size_t i = builders; i < said.size(); ++i)
      EXPECT_THAT(allowed, Contains(said[i])) << row.name << " records " << row.recorded;
  }
}

TEST(CallTable, UsesEveryWordOfTheVocabulary) {
  std::set<std::string> used;
  for (const Row& row : kRows) {
    for (const std::string& word : words(row.recorded)) used.insert(word);
  }
  for (const std::string& word : kVocabulary) EXPECT_EQ(used.count(word), 1U) << word;
  for (const std::string& word : kForms) EXPECT_EQ(used.count(word), 1U) << word;
}

TEST(CallTable, RecordsALargeCountCallLikeItsPlainOne) {
  std::map<std::string, const Row*> plain;
  for (const Row& row : kRows) plain[std::string{row.name}] = &row;
  int large = 0;
  for (const Row& row : kRows) {
    if (!row.name.ends_with("_c")) continue;
    ++large;
    const auto of = plain.find(std::string{row.name.substr(0, row.name.size() - 2)});
    ASSERT_NE(of, plain.end()) << row.name << " has no plain row";
    EXPECT_EQ(row.recorded, of->second->recorded) << row.name;
    EXPECT_EQ(row.group, of->second->group) << row.name;
    EXPECT_EQ(row.type, of->second->type) << row.name;
    EXPECT_NE(row.params, of->second->params) << row.name;
  }
  EXPECT_EQ(large, 159);  // MPI-5.0
}

TEST(CallTable, SaysWithStatusWhereTheRecordIsReadFromAStatusThatMpiFills) {
  for (const Row& row : kRows) {
    const bool reads_status = row.recorded.find("status)") != std::string_view::npos;
    EXPECT_EQ(row.recorded.starts_with("WithStatus("), reads_status) << row.name;
    EXPECT_TRUE(!reads_status || has_parameter(row, "MPI_Status* status")) << row.name;
  }
}

// Without a record of the request, its completion could not be assigned to a call.
TEST(CallTable, RecordsEveryNewRequestThatCarriesData) {
  const Names without_data{"Grequest_start", "Buffer_iflush", "Comm_iflush_buffer", "Session_iflush_buffer"};
  for (const Row& row : kRows) {
    if (!has_parameter(row, "MPI_Request* request")) continue;
    if (std::ranges::find(without_data, row.name) != without_data.end()) continue;
    EXPECT_THAT(words(row.recorded), Contains("request")) << row.name;
  }
}

TEST(CallTable, RecordsEveryCommunicatorThatIsMadeOrFreed) {
  int rows = 0;
  for (const Row& row : kRows) {
    for (const std::string& name : parameter_names(row.params)) {
      if (!has_parameter(row, "MPI_Comm* " + name)) continue;
      if (row.name == "Comm_get_parent") continue;       // made by MPI_Init, and recorded with it
      if (row.name.starts_with("Comm_spawn")) continue;  // by hand
      ++rows;
      EXPECT_THAT(words(row.recorded), Contains(name)) << row.name;
    }
  }
  EXPECT_EQ(rows, 22);
}

TEST(CallTable, RecordsEveryWindowAndFileThatIsMadeOrFreed) {
  for (const Row& row : kRows) {
    if (has_parameter(row, "MPI_Win* win")) {
      EXPECT_THAT(words(row.recorded), Contains("win")) << row.name;
    }
    if (has_parameter(row, "MPI_File* fh")) {
      EXPECT_THAT(words(row.recorded), Contains("fh")) << row.name;
    }
  }
}

}  // namespace
}  // namespace meridian
