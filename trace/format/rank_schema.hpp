#pragma once

// The rank file's tables, named once for writing and reading. FORMAT.md describes them for people.

#include <tuple>

#include "trace/format/rank_file.hpp"
#include "trace/format/table.hpp"

namespace meridian::rank_schema {

inline constexpr const char* kSchemaName = "meridian-rank";

/// A column of an event table, and the member of its row struct. 64-bit handles are stored as indexes of /dictionary.
template <class Row, class T>
struct Column {
  const char* path;
  T Row::*member;
  const char* unit = "";
  bool is_index = false;
};
template <class Row, class T>
Column(const char*, T Row::*, const char*, bool) -> Column<Row, T>;
template <class Row, class T>
Column(const char*, T Row::*, const char*) -> Column<Row, T>;
template <class Row, class T>
Column(const char*, T Row::*) -> Column<Row, T>;

template <class Row>
inline constexpr std::tuple<> kColumns{};

template <>
inline constexpr std::tuple kColumns<PointToPoint>{Column{"p2p/comm", &PointToPoint::comm, "", true},
                                                   Column{"p2p/peer", &PointToPoint::peer},
                                                   Column{"p2p/tag", &PointToPoint::tag},
                                                   Column{"p2p/count", &PointToPoint::count},
                                                   Column{"p2p/type_size", &PointToPoint::type_size, "B"},
                                                   Column{"p2p/request", &PointToPoint::request, "", true}};

template <>
inline constexpr std::tuple kColumns<Collective>{Column{"coll/comm", &Collective::comm, "", true},
                                                 Column{"coll/root", &Collective::root},
                                                 Column{"coll/send_bytes", &Collective::send_bytes, "B"},
                                                 Column{"coll/receive_bytes", &Collective::receive_bytes, "B"},
                                                 Column{"coll/request", &Collective::request, "", true}};

template <>
inline constexpr std::tuple kColumns<Completion>{
    Column{"completions/request", &Completion::request, "", true}, Column{"completions/source", &Completion::source},
    Column{"completions/tag", &Completion::tag}, Column{"completions/bytes", &Completion::bytes, "B"}};

template <>
inline constexpr std::tuple kColumns<Rma>{
    Column{"rma/window", &Rma::window, "", true}, Column{"rma/target", &Rma::target},
    Column{"rma/displacement", &Rma::displacement}, Column{"rma/bytes", &Rma::bytes, "B"},
    Column{"rma/request", &Rma::request, "", true}};

template <>
inline constexpr std::tuple kColumns<FileAccess>{
    Column{"io/file", &FileAccess::file, "", true}, Column{"io/offset", &FileAccess::offset},
    Column{"io/bytes", &FileAccess::bytes, "B"}, Column{"io/request", &FileAccess::request, "", true}};

template <>
inline constexpr std::tuple kColumns<HandleUse>{Column{"handles/handle", &HandleUse::handle, "", true}};

template <>
inline constexpr std::tuple kColumns<UserUse>{Column{"user/definition", &UserUse::definition},
                                              Column{"user/words", &UserUse::words}};

template <>
inline constexpr std::tuple kColumns<LockUse>{Column{"locks/object", &LockUse::object, "", true},
                                              Column{"locks/mutex", &LockUse::mutex, "", true},
                                              Column{"locks/holder_tid", &LockUse::holder_tid},
                                              Column{"locks/result", &LockUse::result},
                                              Column{"locks/kind", &LockUse::kind},
                                              Column{"locks/is_contended", &LockUse::is_contended}};

template <>
inline constexpr std::tuple kColumns<ThreadOp>{Column{"thread_ops/handle", &ThreadOp::handle, "", true},
                                               Column{"thread_ops/routine", &ThreadOp::routine, "", true},
                                               Column{"thread_ops/thread", &ThreadOp::thread},
                                               Column{"thread_ops/result", &ThreadOp::result}};

/// Rows of one segment in one table are never more: what a reader allocates for a batch is bounded whatever a file
/// says.
inline constexpr std::uint64_t kMaxSegmentRows = std::uint64_t{1} << 22;

// Rows on disk of what RankMeta holds with strings and lists.
struct StoredMembers {
  std::uint64_t comm = 0;
  std::uint64_t born_ticks = 0;
  std::uint64_t first = 0;  ///< index in /member_ranks
  std::uint64_t count = 0;
  std::uint8_t remote = 0;
};
struct StoredText {
  std::uint64_t first = 0;  ///< byte in /text_bytes
  std::uint64_t bytes = 0;  ///< "key\0value"
  std::uint64_t handle = 0;
  std::uint64_t ticks = 0;
};

template <class Row>
std::vector<h5::Field> fields();

std::string_view clock_name(ClockKind clock);
/// "lost_ring_full": the root attribute that holds a loss counter.
std::string loss_attribute(Loss loss);

/// Writes and reads what is not events: attributes of the root and the small tables, `segments` included.
Status write_meta(hid_t file, const RankMeta& meta);
Result<RankMeta> read_meta(hid_t file, const std::filesystem::path& path);
/// A table cannot be read.  has_handles: without it nobody knows what messages belong to.
void note_unreadable(RankMeta& meta, const Error& error, bool has_handles);

}  // namespace meridian::rank_schema
