// The call table against the MPI Forum's own list of procedures, as the Forum's tools export it for one version of the
// standard. The list is not ours to distribute: MERIDIAN_MPI_STANDARD names a copy (mpi-standard-5.0-apis.json).

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
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
    const char* path = std::getenv("MERIDIAN_MPI_STANDARD");
    if (path == nullptr) GTEST_SKIP() << "MERIDIAN_MPI_STANDARD names no copy of the MPI Forum's list of procedures";
    std::ifstream file{path};
    ASSERT_TRUE(file) << "MERIDIAN_MPI_STANDARD: cannot read '" << path << "'";
    const auto list = nlohmann::json::parse(file, nullptr, false);
    ASSERT_TRUE(list.is_object()) << "MERIDIAN_MPI_STANDARD: no JSON object in '" << path << "'";
    for (const auto& entry : list) {
      bool large = false;
      for (const auto& parameter : entry.at("parameters"))
        large = large || parameter.at("kind").get<std::string>().starts_with("POLY");
      procedures_[entry.at("name").get<std::string>()] = large;
    }
    ASSERT_GT(procedures_.size(), 500U);
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

TEST_F(TheStandard, HasEveryEntryThatWeGiveAReasonFor) {
  for (const auto& [name, reason] : kWithoutRow) EXPECT_TRUE(procedures_.contains(name)) << name << ": " << reason;
}

TEST_F(TheStandard, HasEveryRowButTheRemovedOnes) {
  if (!procedures_.contains("MPI_Abi_get_version")) GTEST_SKIP() << "the table follows MPI-5.0, this list is older";
  for (std::size_t i = 1; i <= kMpiCallCount; ++i) {
    std::string name{info(static_cast<CallId>(i)).name};
    if (name.ends_with("_c")) name.resize(name.size() - 2);
    EXPECT_NE(procedures_.contains(name), kRemoved.contains(name)) << name;
  }
}

}  // namespace
}  // namespace meridian
