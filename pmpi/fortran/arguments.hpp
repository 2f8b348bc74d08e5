// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Converts Fortran arguments to the C values that record builders (record.hpp) need. Only recorded arguments are
// converted, and only for the builder: the call itself gets the arguments from Fortran. The one exception is a status
// that the program ignores: only the status has the source, tag and size of a message, so the call gets a status of
// ours.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "pmpi/fortran/library.hpp"
#include "pmpi/libraries/flavor.hpp"
#include "pmpi/libraries/real.hpp"

namespace meridian::fortran {

/// The form of a choice buffer: its address, or a descriptor that begins with its address.
enum class Buffers : unsigned char { by_address, by_descriptor };

template <class T>
inline constexpr bool kIsHandle = false;
template <class T>
inline constexpr bool kIsUnread = false;  ///< a handle that no builder uses

#define MERIDIAN_FORTRAN_HANDLE(Handle, conversion) \
  template <>                                       \
  inline constexpr bool kIsHandle<Handle> = true;   \
  [[gnu::always_inline]] inline void from_fortran(Handle& to, MPI_Fint from) noexcept { to = g_real.conversion(from); }
MERIDIAN_FORTRAN_HANDLE(MPI_File, File_f2c)
#ifdef OPEN_MPI  // MPICH's other handles are ints, the same in both languages
MERIDIAN_FORTRAN_HANDLE(MPI_Comm, Comm_f2c)
MERIDIAN_FORTRAN_HANDLE(MPI_Datatype, Type_f2c)
MERIDIAN_FORTRAN_HANDLE(MPI_Group, Group_f2c)
MERIDIAN_FORTRAN_HANDLE(MPI_Message, Message_f2c)
MERIDIAN_FORTRAN_HANDLE(MPI_Request, Request_f2c)
MERIDIAN_FORTRAN_HANDLE(MPI_Win, Win_f2c)
template <>
inline constexpr bool kIsUnread<MPI_Errhandler> = true;
template <>
inline constexpr bool kIsUnread<MPI_Info> = true;
template <>
inline constexpr bool kIsUnread<MPI_Op> = true;
#else
[[gnu::always_inline]] inline void from_fortran(int& to, MPI_Fint from) noexcept { to = from; }
#endif
#undef MERIDIAN_FORTRAN_HANDLE

[[gnu::always_inline]] inline std::uint64_t request_word(MPI_Fint variable) noexcept {
  MPI_Request request{};
  from_fortran(request, variable);
  return handle_word(request);
}

/// The arguments that a builder reads before the call, beyond their values.
struct Reads {
  bool handles = false;  ///< reads handles that the call may change
  bool text = false;     ///< reads CHARACTER arguments
};

/// The argument in `word` as a T. `length`: word with its length if it is CHARACTER. refresh(): called after the call
/// has stored its results.
template <class T, Buffers, Reads>
struct Argument {
  static_assert(std::is_arithmetic_v<T>);
  T number;
  Argument(const Word& word, const Word&) noexcept : number{*static_cast<const T*>(word)} {}
  T value() noexcept { return number; }
  void refresh() noexcept {}
};

/// Arrays and variables of numbers are the same in both languages. Arrays of handles are not converted.
template <class T, Buffers buffers, Reads reads>
requires(!kIsHandle<T> && !kIsHandle<T*> && !kIsUnread<T*> && !std::is_void_v<T>) struct Argument<T*, buffers, reads> {
  T* pointer;
  Argument(const Word& word, const Word&) noexcept : pointer{reinterpret_cast<T*>(word)} {}
  T* value() noexcept { return pointer; }
  void refresh() noexcept {}
};

template <class T, Buffers buffers, Reads reads>
requires kIsUnread<T>
struct Argument<T, buffers, reads> {
  Argument(const Word&, const Word&) noexcept {}
  T value() noexcept { return {}; }
  void refresh() noexcept {}
};

template <class Handle, Buffers buffers, Reads reads>
requires kIsHandle<Handle>
struct Argument<Handle, buffers, reads> {
  Handle handle;
  Argument(const Word& word, const Word&) noexcept { from_fortran(handle, *static_cast<const MPI_Fint*>(word)); }
  Handle value() noexcept { return handle; }
  void refresh() noexcept {}
};

/// A handle that the call creates, changes or frees.
template <class Handle, Buffers buffers, Reads reads>
requires kIsHandle<Handle>
struct Argument<Handle*, buffers, reads> {
  const MPI_Fint* variable;
  Handle handle{};
  Argument(const Word& word, const Word&) noexcept : variable{static_cast<const MPI_Fint*>(word)} {
    if constexpr (reads.handles) from_fortran(handle, *variable);
  }
  Handle* value() noexcept { return &handle; }
  void refresh() noexcept { from_fortran(handle, *variable); }
};

/// A choice buffer: its address, or MPI_IN_PLACE in its C form.
template <class Void, Buffers buffers, Reads reads>
requires std::is_void_v<Void>
struct Argument<Void*, buffers, reads> {
  Void* address;
  Argument(const Word& word, const Word&) noexcept
      : address{buffers == Buffers::by_address ? word : *static_cast<const Word*>(word)} {
    if (g_fortran.in_place.is(address)) address = MPI_IN_PLACE;
  }
  Void* value() noexcept { return address; }
  void refresh() noexcept {}
};

/// A status has the same words in both languages, but its alignment may only be that of an INTEGER.
template <Buffers buffers, Reads reads>
struct Argument<MPI_Status*, buffers, reads> {
  MPI_Status status;
  const Word& given;
  Argument(Word& word, const Word&) noexcept : given{word} {
    if (g_fortran.status_ignore.is(word)) word = &status;
  }
  MPI_Status* value() noexcept { return &status; }
  void refresh() noexcept {
    if (given != &status) __builtin_memcpy(&status, given, sizeof status);
  }
};

/// A text that a builder keeps: trailing blanks are removed.
template <Buffers buffers, Reads reads>
requires(reads.text) struct Argument<const char*, buffers, reads> {
  static constexpr std::size_t kMaxBytes = 1024;  // names of files may be longer than MPI_MAX_OBJECT_NAME
  char text[kMaxBytes + 1];
  Argument(const Word& word, const Word& length_word) noexcept {
    auto length = reinterpret_cast<std::size_t>(length_word);
    if (length > kMaxBytes) length = kMaxBytes;
    const auto* const from = static_cast<const char*>(word);
    while (length > 0 && from[length - 1] == ' ') --length;
    __builtin_memcpy(text, from, length);
    text[length] = '\0';
  }
  const char* value() noexcept { return text; }
  void refresh() noexcept {}
};

template <std::size_t index, class T, Buffers buffers, Reads reads>
struct Held {
  Argument<T, buffers, reads> argument;
};

/// All arguments of a procedure whose C prototype has the parameters P, in the first words of `words`.
template <Buffers buffers, Reads reads, class Indices, class... P>
struct Arguments;
template <Buffers buffers, Reads reads, std::size_t... index, class... P>
struct Arguments<buffers, reads, std::index_sequence<index...>, P...> : Held<index, P, buffers, reads>... {
  explicit Arguments(Word* words) noexcept
      : Held<index, P, buffers, reads>{{words[index], words[sizeof...(P) + 1]}}... {
    static_cast<void>(words);
  }
  template <class Build>
  [[gnu::always_inline]] auto build(Build build) noexcept {
    return build(static_cast<Held<index, P, buffers, reads>&>(*this).argument.value()...);
  }
  [[gnu::always_inline]] void refresh() noexcept {
    (static_cast<Held<index, P, buffers, reads>&>(*this).argument.refresh(), ...);
  }
};

}  // namespace meridian::fortran
