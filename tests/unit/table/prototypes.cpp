// SPDX-License-Identifier: Apache-2.0
// Compares every row that this MPI has with mpi.h: a row with another prototype does not compile. Where an array or object that the
// call only reads is `const` differs between libraries and versions of the standard.

#include <mpi.h>

#include <type_traits>

#include "mpi_has.h"

namespace meridian {
namespace {

template <class Type>
struct WithoutConst {
  using type = std::remove_const_t<Type>;
};
template <class Type>
struct WithoutConst<Type*> {
  using type = typename WithoutConst<std::remove_const_t<Type>>::type*;
};
template <class Return, class... Parameters>
struct WithoutConst<Return (*)(Parameters...)> {
  using type = Return (*)(typename WithoutConst<Parameters>::type...);
};
template <class Return, class... Parameters>
struct WithoutConst<Return (*)(Parameters..., ...)> {
  using type = Return (*)(typename WithoutConst<Parameters>::type..., ...);
};

template <class One, class Other>
constexpr bool kIsAlike = std::is_same_v<typename WithoutConst<One>::type, typename WithoutConst<Other>::type>;

static_assert(kIsAlike<int (*)(const int*, char**), int (*)(int*, char**)>);
static_assert(!kIsAlike<int (*)(const int*), int (*)(const long*)>);
static_assert(!kIsAlike<int (*)(int), int (*)(int, ...)>);

}  // namespace
}  // namespace meridian

#define MERIDIAN_IF_0(...)
#define MERIDIAN_IF_1(...) __VA_ARGS__
#define MERIDIAN_IF_(condition, ...) MERIDIAN_IF_##condition(__VA_ARGS__)
#define MERIDIAN_IF(condition, ...) MERIDIAN_IF_(condition, __VA_ARGS__)

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // of procedures that MPI has removed
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) \
  MERIDIAN_IF(MERIDIAN_HAS_##name, static_assert(meridian::kIsAlike<decltype(&PMPI_##name), type(*) params>, #name);)
#include "trace/model/mpi_calls.def"
