// SPDX-License-Identifier: Apache-2.0
#include "cli/summary/text/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "tests/unit/summary/sample_summaries.hpp"

namespace meridian {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string plain(const Summary& summary) { return summary_text(summary, Paint{false}); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Compares with golden/NAME.txt; MERIDIAN_UPDATE_GOLDEN=1 writes the file instead, for a person to review.
void expect_golden(const char* name, const std::string& text) {
  const std::string path = std::string{MERIDIAN_GOLDEN_DIR} + "/" + name + ".txt";
  if (std::getenv("MERIDIAN_UPDATE_GOLDEN") != nullptr) {
    std::ofstream{path, std::ios::binary} << text;
    GTEST_SKIP() << "wrote " << path;
  }
  std::ifstream file{path, std::ios::binary};
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str()) << "differs from " << path;
}

TEST(SummaryText, OfAnEmptyRunSaysThatNothingWasRecorded) { expect_golden("empty_run", plain(samples::empty_run())); }

TEST(SummaryText, OfOneRankPointsToTheComputation) { expect_golden("one_rank", plain(samples::one_rank())); }

TEST(SummaryText, OfFourRanksNamesTheSlowOne) { expect_golden("four_ranks", plain(samples::four_ranks())); }

TEST(SummaryText, OfCountersSeparatesMpiFromTheRest) { expect_golden("counted", plain(samples::counted())); }

TEST(SummaryText, OfSeveralWorldsNamesRanksByThem) {
  expect_golden("several_worlds", plain(samples::several_worlds()));
}

TEST(SummaryText, OfManyWorldsShowsTheFirst) {
  Summary summary = samples::several_worlds();
  for (std::int32_t world = 4; world <= 20; ++world) summary.worlds.push_back({world, world + 1, 1, 1, 1, "./w", "t"});
  const std::string text = plain(summary);
  EXPECT_THAT(text, HasSubstr("WORLDS (the first 16 of 20)\n"));
  EXPECT_THAT(text, HasSubstr("\n     16    17 1 of 1    world 1 ./w\n"));
  EXPECT_THAT(text, Not(HasSubstr("     18 1 of 1")));
}

TEST(SummaryText, OfTenThousandRanksIsCompact) {
  const std::string text = plain(samples::ten_thousand_ranks());
  expect_golden("ten_thousand_ranks", text);
  EXPECT_LT(lines_of(text).size(), 120U);
}

TEST(SummaryText, OfAHostileSummaryIsHarmless) {
  const std::string text = plain(samples::hostile());
  expect_golden("hostile", text);
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << static_cast<int>(c);
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf ")));
}

TEST(BriefText, OfFourRanksHasWhatMattersAndNamesTheRest) {
  expect_golden("four_ranks_brief", brief_text(samples::four_ranks(), Paint{false}));
}

TEST(BriefText, OfAnEmptyRunSaysHowToRecord) {
  EXPECT_THAT(brief_text(samples::empty_run(), Paint{false}),
              HasSubstr("VERDICT\n  No MPI call was recorded. Start the program as `mpirun -n 4 meridian run"));
}

TEST(BriefText, HasAtMost58LinesOf80Columns) {
  Summary crowded = samples::ten_thousand_ranks();
  for (int i = 0; i < 40; ++i) {
    crowded.findings.push_back({"loss." + std::to_string(i), Severity::data_loss, 1, "What was lost.", "Do this.", ""});
    crowded.findings.push_back({"info." + std::to_string(i), Severity::info, 1, "What is known.", "Do that.", ""});
    ProblemSummary& problem = crowded.problems.emplace_back();
    problem.problem = "problem";
    problem.text = std::string(300, 'x');
    problem.remedy = "Its remedy.";
  }
  for (const Summary& summary :
       {samples::empty_run(), samples::one_rank(), samples::four_ranks(), samples::counted(), samples::several_worlds(),
        samples::ten_thousand_ranks(), samples::hostile(), crowded}) {
    const auto lines = lines_of(brief_text(summary, Paint{false}));
    EXPECT_LE(lines.size(), 58U);
    for (const std::string& line : lines) EXPECT_LE(display_width(line), 80U) << line;
  }
}

TEST(BriefText, NamesEverySevereFindingOrCountsIt) {
  Summary summary = samples::one_rank();
  for (int i = 0; i < 12; ++i)
    summary.findings.push_back({"loss." + std::to_string(i), Severity::data_loss, 3, "What was lost.", "Do this.", ""});
  const std::string text = brief_text(summary, Paint{false});
  EXPECT_THAT(text, HasSubstr("  data_loss: loss.0 (3), loss.1 (3), loss.2 (3), loss.3 (3), loss.4 (3), loss.5\n"
                              "  (3), loss.6 (3), loss.7 (3) and 4 more\n"));
  EXPECT_THAT(text, HasSubstr(", findings.\n"));
}

TEST(BriefText, NamesNoSectionThatItShowsAsAWhole) {
  const std::string text = brief_text(samples::one_rank(), Paint{false});
  const std::string more = text.substr(text.find("MORE\n"));
  EXPECT_THAT(text, HasSubstr("RUN\n"));
  EXPECT_THAT(more, Not(HasSubstr(" run,")));
  EXPECT_THAT(more, HasSubstr(" clocks"));
}

TEST(TextSections, AreTheWholeText) {
  const Summary summary = samples::four_ranks();
  std::string all;
  for (const TextSection& section : text_sections()) {
    const std::string text = section.text(summary, Paint{false}, kTopSites);
    if (!text.empty()) all += (all.empty() ? "" : "\n") + text;
  }
  EXPECT_EQ(all, plain(summary));
}

TEST(SummaryText, NeverNeedsMoreThanEightyColumns) {
  for (const Summary& summary : {samples::empty_run(), samples::one_rank(), samples::four_ranks(), samples::counted(),
                                 samples::several_worlds(), samples::ten_thousand_ranks(), samples::hostile()})
    for (const std::string& line : lines_of(plain(summary))) EXPECT_LE(display_width(line), 80U) << line;
}

TEST(SummaryText, FillsTheWidthThatItHas) {
  for (const std::size_t width : {kLeastWidth, std::size_t{120}, std::size_t{300}}) {
    set_text_width(width);
    for (const Summary& summary : {samples::empty_run(), samples::one_rank(), samples::four_ranks(), samples::counted(),
                                   samples::several_worlds(), samples::ten_thousand_ranks(), samples::hostile()})
      for (const std::string& line : lines_of(plain(summary)))
        EXPECT_LE(display_width(line), line.starts_with("  ") ? width : std::max<std::size_t>(width, 80)) << line;
  }
  set_text_width(120);
  EXPECT_THAT(plain(samples::four_ranks()), HasSubstr(" residual_of_the_mesh.cpp:1204 mesh::residual"));
  EXPECT_THAT(plain(samples::several_worlds()),
              HasSubstr("/home/user/a/folder/with/a/long/name/and/another/one/in/it"));
  set_text_width(kDefaultWidth);
  EXPECT_THAT(plain(samples::four_ranks()), Not(HasSubstr("residual_of_the_mesh.cpp:1204 mesh::residual")));
}

TEST(SummaryText, LeavesOutSectionsThatHaveNothingToSay) {
  Summary summary = samples::one_rank();
  summary.messages = {};
  summary.communication_sizes = {{"coll", 0, 12, 0}};
  const std::string text = plain(summary);
  EXPECT_THAT(text, Not(HasSubstr("MESSAGES")));
  EXPECT_THAT(text, HasSubstr("CLOCKS\n  all ranks read the same clock: there is nothing to correct\n"));
  summary.communication_sizes.push_back({"coll", 8, 1, 8});
  EXPECT_THAT(plain(summary), HasSubstr("SIZES OF MESSAGES"));
  summary.messages.unmatched_sends = 1;
  EXPECT_THAT(plain(summary), HasSubstr("MESSAGES\n  without partner 1 sends, 0 receives\n"));
}

TEST(SummaryText, CountsBytesOfCollectivesAsSent) {
  Summary summary = samples::one_rank();
  summary.ranks[0].bytes_sent = 1024;
  summary.ranks[0].other_bytes_sent = 2048;
  EXPECT_THAT(ranks_section(summary, Paint{false}), HasSubstr(" 3.00 KiB "));
}

TEST(SummaryText, EndsEveryLineWithoutBlanks) {
  for (const Summary& summary :
       {samples::one_rank(), samples::four_ranks(), samples::counted(), samples::ten_thousand_ranks()})
    for (const std::string& line : lines_of(plain(summary))) EXPECT_FALSE(line.ends_with(' ')) << "'" << line << "'";
}

TEST(SummaryText, DiffersOnlyByEscapeSequencesIfItIsColoured) {
  std::string coloured = summary_text(samples::four_ranks(), Paint{true});
  EXPECT_THAT(coloured, HasSubstr("\033[1;31merror\033[0m"));
  for (std::size_t at = coloured.find('\033'); at != std::string::npos; at = coloured.find('\033'))
    coloured.erase(at, coloured.find('m', at) - at + 1);
  EXPECT_EQ(coloured, plain(samples::four_ranks()));
}

TEST(SummaryText, ListsSixteenRanksAndCompactsSeventeen) {
  Summary summary = samples::one_rank();
  summary.ranks.assign(16, summary.ranks.front());
  for (std::int32_t rank = 0; rank < 16; ++rank) summary.ranks[static_cast<std::size_t>(rank)].rank = rank;
  EXPECT_THAT(ranks_section(summary, Paint{false}), Not(HasSubstr("median")));
  summary.ranks.push_back(summary.ranks.back());
  summary.ranks.back().rank = 16;
  EXPECT_THAT(ranks_section(summary, Paint{false}), HasSubstr("median"));
}

TEST(SummaryText, ShowsTheTenMostCalledOnlyWhenThereAreMoreThanTen) {
  Summary summary = samples::one_rank();
  EXPECT_THAT(functions_section(summary, Paint{false}), Not(HasSubstr("FUNCTIONS BY CALLS")));
  while (summary.functions.size() < 11) summary.functions.push_back(summary.functions.front());
  EXPECT_THAT(functions_section(summary, Paint{false}), HasSubstr("FUNCTIONS BY CALLS (10 of 11)"));
}

TEST(SummaryText, GroupsTheMatrixByHostWhenRanksAreManyAndHostsFew) {
  Summary summary;
  for (std::int32_t rank = 0; rank < 32; ++rank) {
    RankSummary row;
    row.rank = rank;
    row.host = rank < 16 ? "left" : "right";
    summary.ranks.push_back(row);
    summary.pairs.push_back({rank, (rank + 16) % 32, 1, 1024});
  }
  EXPECT_THAT(pairs_section(summary, Paint{false}), HasSubstr("row: sending host"));
  EXPECT_THAT(pairs_section(summary, Paint{false}), HasSubstr("A left"));
  EXPECT_THAT(pairs_section(summary, Paint{false}), HasSubstr("16.0K"));
}

TEST(FindingsText, PutsErrorsFirst) {
  Summary summary = samples::four_ranks();
  std::swap(summary.findings[0], summary.findings[1]);
  const std::string text = findings_text(summary, Paint{false});
  EXPECT_LT(text.find("message.unmatched_send"), text.find("call.unfinished"));
}

TEST(FindingsText, ReportsThatThereAreNone) {
  EXPECT_EQ(findings_text(samples::one_rank(), Paint{false}), "FINDINGS\n  none\n");
}

}  // namespace
}  // namespace meridian
