// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A Fortran call, recorded like the C call of the same name.

#include <mpi.h>

#include <cstddef>
#include <type_traits>
#include <utility>

#include "pmpi/calls/record_coll.hpp"
#include "pmpi/calls/record_comm.hpp"
#include "pmpi/calls/record_object.hpp"
#include "pmpi/calls/record_receive.hpp"
#include "pmpi/calls/request_list.hpp"
#include "pmpi/calls/traced.hpp"
#include "pmpi/fortran/arguments.hpp"
#include "pmpi/fortran/library.hpp"

namespace meridian::fortran {

/// Words after the arguments of the C prototype: ierror, and the lengths of at most two CHARACTER arguments. If there
/// are none, the words have no meaning and are only passed on.
inline constexpr std::size_t kExtraWords = 3;

template <class Result, std::size_t... index>
[[gnu::always_inline]] inline Result forward(void* procedure, const Word* words, std::index_sequence<index...>) {
  using Procedure = Result(decltype(static_cast<void>(index), Word{})...);
  return reinterpret_cast<Procedure*>(procedure)(words[index]...);
}
template <class Result = void, std::size_t count>
[[gnu::always_inline]] inline Result forward(NextProcedure& next, const Word (&words)[count]) {
  return forward<Result>(next.get(), words, std::make_index_sequence<count>{});
}

/// A call whose ierror, which is optional in Fortran 2008, is argument number `error`.
template <std::size_t count>
class Subroutine {
 public:
  [[gnu::always_inline]] Subroutine(NextProcedure& next, Word (&words)[count], std::size_t error) noexcept
      : next_{next}, words_{words}, error_{error} {
    if (words[error] == nullptr) words[error] = &own_;
  }
  Subroutine(const Subroutine&) = delete;
  Subroutine& operator=(const Subroutine&) = delete;
  /// Makes the call. Returns the value of ierror.
  [[gnu::always_inline]] int operator()() const {
    forward(next_, words_);
    return static_cast<int>(*static_cast<const MPI_Fint*>(words_[error_]));
  }

 private:
  NextProcedure& next_;
  const Word (&words_)[count];
  std::size_t error_;
  MPI_Fint own_ = MPI_SUCCESS;
};

/// The data that a builder reads, derived from its type.
template <class What>
inline constexpr Reads kReads{
    .handles = std::is_same_v<What, record::OneRequest> || std::is_same_v<What, record::AboutRequest> ||
               std::is_same_v<What, record::MatchedReceive> || std::is_same_v<What, record::ByHandle>,
    .text = What::kReadsText};

/// The number of blocks in one side of an Alltoallw.
template <class Side>
[[gnu::always_inline]] inline std::size_t blocks_of(const Side& side, MPI_Comm comm) noexcept {
  if constexpr (requires { side.out; }) {
    return static_cast<std::size_t>(record::Neighbours::of(comm, side.out));
  } else {
    return static_cast<std::size_t>(record::peers_in(comm));
  }
}

/// Converts Fortran's datatypes to C, in `made`, if they are significant.
template <class Side>
[[gnu::always_inline]] inline void convert_types(Side& side, std::size_t blocks, MPI_Datatype* made) noexcept {
  const auto* const types = reinterpret_cast<const MPI_Fint*>(side.types);
  for (std::size_t i = 0; i < blocks; ++i)
    if (side.counts[i] > 0) from_fortran(made[i], types[i]);
  side.types = made;
}

/// `What` built from converted arguments: results of the call are converted before they are recorded.
template <class What, class Arguments>
struct Converted : What {
  static constexpr bool kConvertsTypes = kIsHandle<MPI_Datatype> && requires(What what) { what.sent.types; };
  using Said = std::conditional_t<kConvertsTypes, Converted, What>;

  Arguments& arguments;
  Converted(What what, Arguments& arguments_) noexcept : What{what}, arguments{arguments_} {}
  void refresh() noexcept { arguments.refresh(); }
  std::uint64_t after(std::uint64_t* words) noexcept {
    refresh();
    if constexpr (kConvertsTypes) {
      return after_with_types(words);
    } else {
      return What::after(words);
    }
  }
  std::uint64_t failed(std::uint64_t* words, int result) noexcept {
    if constexpr (What::kMayTruncate) {
      // Only a completion guarantees that there is a result to convert; a request always exists.
      if (!std::is_same_v<What, record::OneRequest> && !record::is_truncated(result)) return 0;
      arguments.refresh();
    }
    return What::failed(words, result);
  }

 private:
  std::uint64_t after_with_types(std::uint64_t* words) noexcept {
    constexpr std::size_t kOnStack = 64;  // datatypes of both sides
    MPI_Datatype on_stack[kOnStack];
    MPI_Datatype* made = on_stack;
    const bool sends = this->significant != record::Significant::receive_only;
    const std::size_t blocks_out = sends ? blocks_of(this->sent, this->comm) : 0;
    const std::size_t blocks_in = blocks_of(this->received, this->comm);
    if (blocks_out + blocks_in > kOnStack) [[unlikely]]
      made = static_cast<MPI_Datatype*>(thread_scratch(t_state, (blocks_out + blocks_in) * sizeof *made));
    if (made != nullptr) [[likely]] {
      convert_types(this->sent, blocks_out, made);
      convert_types(this->received, blocks_in, made + blocks_out);
    } else {
      this->root = MPI_PROC_NULL;  // as for a rank that does not take part: no bytes
    }
    return What::after(words);
  }
};

template <class Builder>
struct Prototype;
template <class Builder, class What_, class... P>
struct Prototype<What_ (Builder::*)(P...) const> {
  using What = What_;
  static constexpr std::size_t kCount = sizeof...(P);
  template <Buffers buffers>
  using Args = Arguments<buffers, kReads<What>, std::make_index_sequence<kCount>, P...>;
};

/// Like pass_by(), but if this library's Fortran procedures call its C functions, these have already counted it.
[[gnu::always_inline]] inline void pass_by_fortran(CallId id) noexcept {
#ifdef OPEN_MPI
  pass_by(id);
#else
  static_cast<void>(id);
#endif
}

/// Records one call of a row. `Result`: the return type of the C function. `build`: the row's builder as a function of
/// the C parameters. `words`: the arguments, followed by ierror (for a subroutine), with kExtraWords words in total
/// after the arguments.
template <CallId id, class Result, Buffers buffers, class Build, std::size_t count>
[[gnu::always_inline]] inline auto row(Build build, NextProcedure& next, Word (&words)[count]) {
  using Row = Prototype<decltype(&Build::operator())>;
  if constexpr (!std::is_same_v<Result, int>) {
    if (!g_enabled[static_cast<std::size_t>(id)]) [[unlikely]] {
      pass_by_fortran(id);
      return forward<Result>(next, words);
    }
    return traced<id>(record::Local(), [&] { return forward<Result>(next, words); });
  } else {
    static_assert(Row::kCount + kExtraWords <= count);
    using What = typename Row::What;
    if (!What::kDefines && !g_enabled[static_cast<std::size_t>(id)]) [[unlikely]] {
      pass_by_fortran(id);
      return forward(next, words);
    }
    if constexpr (std::is_same_v<What, record::Basic>) {
      const Subroutine call{next, words, Row::kCount};
      traced<id>(record::Local(), [&] { return call(); });
    } else {
      if (!is_fortran_ready()) [[unlikely]]
        return forward(next, words);
      using Args = typename Row::template Args<buffers>;
      const Subroutine call{next, words, Row::kCount};
      Args arguments{words};
      traced<id>(Converted<What, Args>{arguments.build(build), arguments}, [&] { return call(); });
    }
  }
}

}  // namespace meridian::fortran
