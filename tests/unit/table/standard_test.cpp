// SPDX-License-Identifier: Apache-2.0
// The call table against the names of the MPI standard: mpi_5_0_procedures.txt, which says where it comes from.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

#include "trace/model/call_id.hpp"

namespace meridian {
namespace {

constexpr const char* kCallback = "the type of a function that the application hands over";
constexpr const char* kPredefined = "a function of the library that is passed on, not called";
constexpr const char* kFortran = "exists in Fortran only";

/// Entries of the standard's list that have no row, and why.
const std::map<std::string, const char*> kWithoutRow{
    {"MPI_Comm_copy_attr_function", kCallback},
    {"MPI_Comm_delete_attr_function", kCallback},
    {"MPI_Comm_errhandler_function", kCallback},
    {"MPI_Copy_function", kCallback},
    {"MPI_Datarep_conversion_function", kCallback},
    {"MPI_Datarep_extent_function", kCallback},
    {"MPI_Delete_function", kCallback},
    {"MPI_File_errhandler_function", kCallback},
    {"MPI_Grequest_cancel_function", kCallback},
    {"MPI_Grequest_free_function", kCallback},
    {"MPI_Grequest_query_function", kCallback},
    {"MPI_Session_errhandler_function", kCallback},
    {"MPI_T_event_cb_function", kCallback},
    {"MPI_T_event_dropped_cb_function", kCallback},
    {"MPI_T_event_free_cb_function", kCallback},
    {"MPI_Type_copy_attr_function", kCallback},
    {"MPI_Type_delete_attr_function", kCallback},
    {"MPI_User_function", kCallback},
    {"MPI_Win_copy_attr_function", kCallback},
    {"MPI_Win_delete_attr_function", kCallback},
    {"MPI_Win_errhandler_function", kCallback},
    {"MPI_COMM_DUP_FN", kPredefined},
    {"MPI_COMM_NULL_COPY_FN", kPredefined},
    {"MPI_COMM_NULL_DELETE_FN", kPredefined},
    {"MPI_CONVERSION_FN_NULL", kPredefined},
    {"MPI_DUP_FN", kPredefined},
    {"MPI_NULL_COPY_FN", kPredefined},
    {"MPI_NULL_DELETE_FN", kPredefined},
    {"MPI_TYPE_DUP_FN", kPredefined},
    {"MPI_TYPE_NULL_COPY_FN", kPredefined},
    {"MPI_TYPE_NULL_DELETE_FN", kPredefined},
    {"MPI_WIN_DUP_FN", kPredefined},
    {"MPI_WIN_NULL_COPY_FN", kPredefined},
    {"MPI_WIN_NULL_DELETE_FN", kPredefined},
    {"MPI_F_sync_reg", kFortran},
    {"MPI_Sizeof", kFortran},
};

/// Rows for what MPI-3.0 took out of the standard and libraries keep for programs that were built before.
const std::set<std::string> kRemoved{
    "MPI_Address",       "MPI_Errhandler_create", "MPI_Errhandler_get", "MPI_Errhandler_set", "MPI_Type_extent",
    "MPI_Type_hindexed", "MPI_Type_hvector",      "MPI_Type_lb",        "MPI_Type_struct",    "MPI_Type_ub",
};

/// Name -> whether the standard defines a large-count variant with a name of its own (..._c) for C.
using Standard = std::map<std::string, bool>;

class TheStandard : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file{MERIDIAN_MPI_PROCEDURES};
    ASSERT_TRUE(file) << "cannot read " << MERIDIAN_MPI_PROCEDURES;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with('#')) continue;
      const bool large = line.ends_with(" +c");
      if (large) line.resize(line.size() - 3);
      EXPECT_TRUE(procedures_.emplace(line, large).second) << line << " is there twice";
    }
    ASSERT_EQ(procedures_.size(), 567U);
  }
  Standard procedures_;
};

TEST_F(TheStandard, HasNoProcedureWithoutARowOrAReason) {
  for (const auto& [name, large] : procedures_) {
    const bool has_row = call_by_name(name) != CallId::none;
    EXPECT_NE(has_row, kWithoutRow.contains(name)) << name << (has_row ? " has a row and a reason to have none" : "");
  }
}

TEST_F(TheStandard, HasARowForEveryLargeCountVariant) {
  for (const auto& [name, large] : procedures_) {
    if (kWithoutRow.contains(name)) continue;
    EXPECT_EQ(call_by_name(name + "_c") != CallId::none, large) << name << "_c";
  }
}

TEST_F(TheStandard, HasEveryProcedureWithAReason) {
  for (const auto& [name, reason] : kWithoutRow) EXPECT_TRUE(procedures_.contains(name)) << name << ": " << reason;
}

TEST_F(TheStandard, HasEveryRowButTheRemovedOnes) {
  for (std::size_t i = 1; i <= kMpiCallCount; ++i) {
    std::string name{info(static_cast<CallId>(i)).name};
    if (name.ends_with("_c")) name.resize(name.size() - 2);
    EXPECT_NE(procedures_.contains(name), kRemoved.contains(name)) << name;
  }
}

}  // namespace
}  // namespace meridian
