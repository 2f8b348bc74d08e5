// SPDX-License-Identifier: Apache-2.0
// Call frame information: DWARF 5, section 6.4, as the System V ABI for x86-64 uses it, and the search table of
// .eh_frame_hdr (Linux Standard Base, "Exception Frames"). Constructs that compilers do not emit for x86-64 are not
// read: the rule is then unknown.

#include "trace/unwind/unwind_rule.hpp"

#include <string.h>

#include "trace/unwind/unwind_cursor.hpp"

namespace meridian {

#if defined(__x86_64__)
namespace {

constexpr std::uint64_t kRbp = 6;
constexpr std::uint64_t kRsp = 7;
constexpr std::uint64_t kReturnAddress = 16;
constexpr int kMaxRemembered = 8;

/// One row of the table that a program of instructions generates: the parts that are needed.
struct Row {
  UnwindRule rule;
  std::uint64_t cfa_register = kRsp;  // of the last definition by register
  bool is_known = true;
};

struct Common {
  std::uint64_t code_align = 1;
  std::int64_t data_align = -8;
  std::uint8_t encoding = 0;
  bool has_data = false;  // each FDE has augmentation data
  bool is_signal = false;
  Cursor instructions{nullptr, nullptr};
};

/// The body of the entry (CIE or FDE) at `at`; empty if it is not inside the image.
Cursor entry(const UnwindImage& image, std::uintptr_t at) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(image.begin);
  const auto end = reinterpret_cast<std::uintptr_t>(image.end);
  std::uint32_t length = 0;
  if (at < begin || at > end || end - at < sizeof length) return {image.begin, image.begin};
  const unsigned char* const bytes = image.begin + (at - begin);
  memcpy(&length, bytes, sizeof length);
  if (length == 0 || length > end - at - sizeof length) return {image.begin, image.begin};
  return {bytes + sizeof length, bytes + sizeof length + length};
}

bool read_common(const UnwindImage& image, std::uintptr_t at, Common& common) noexcept {
  Cursor cursor = entry(image, at);
  if (cursor.fixed<std::uint32_t>() != 0 || cursor.has_failed()) return false;
  const auto version = cursor.fixed<std::uint8_t>();
  const auto* const augmentation = reinterpret_cast<const char*>(cursor.at());
  while (cursor.fixed<std::uint8_t>() != 0) {
  }
  if (cursor.has_failed() || (augmentation[0] != 'z' && augmentation[0] != '\0')) return false;
  common.code_align = cursor.uleb();
  common.data_align = cursor.sleb();
  if ((version == 1 ? cursor.fixed<std::uint8_t>() : cursor.uleb()) != kReturnAddress) return false;
  if (augmentation[0] == 'z') {
    common.has_data = true;
    Cursor data = cursor.part(cursor.uleb());
    for (const char* what = augmentation + 1; *what != '\0'; ++what) {
      if (*what == 'R') common.encoding = data.fixed<std::uint8_t>();
      if (*what == 'L') data.skip(1);
      if (*what == 'P') data.pointer(data.fixed<std::uint8_t>() & 0x0f);
      if (*what == 'S') common.is_signal = true;
      if (strchr("RLPSB", *what) == nullptr) return false;
    }
    if (data.has_failed()) return false;
  }
  common.instructions = cursor;
  return !cursor.has_failed();
}

/// Breg rbp OFFSET, optionally followed by a deref: the two expressions of functions that align their stack.
bool read_expression(Cursor expression, bool wants_deref, std::int64_t& offset) noexcept {
  if (expression.fixed<std::uint8_t>() != 0x70 + kRbp) return false;
  offset = expression.sleb();
  if (wants_deref && expression.fixed<std::uint8_t>() != 0x06) return false;
  return expression.is_over() && !expression.has_failed();
}

void define_cfa(Row& row, std::uint64_t number, std::int64_t offset) noexcept {
  row.cfa_register = number;
  row.rule.kind = number == kRsp ? UnwindRule::from_rsp : number == kRbp ? UnwindRule::from_rbp : UnwindRule::unknown;
  row.rule.cfa_offset = static_cast<std::int32_t>(offset);
}

void save_rbp(Row& row, UnwindRule::Saved how, std::int64_t offset) noexcept {
  row.rule.saved = how;
  row.rule.rbp_offset = static_cast<std::int16_t>(offset);
  if (row.rule.rbp_offset != offset) row.is_known = false;
}

/// Applies DW_CFA_offset and its variants to a register.
void save(Row& row, std::uint64_t number, std::int64_t offset) noexcept {
  if (number == kRbp) save_rbp(row, UnwindRule::below_cfa, offset);
  if (number == kReturnAddress && offset != -8) row.is_known = false;
}

/// The register is not saved in memory below the CFA: its rule cannot be used.
void lose(Row& row, std::uint64_t number) noexcept {
  if (number == kRbp || number == kReturnAddress) row.is_known = false;
}

class Machine {
 public:
  Machine(const Common& common, std::uintptr_t begin, std::uintptr_t target) noexcept
      : common_{common}, location_{begin}, target_{target} {}

  /// Executes instructions up to the row of the target. False: an instruction is not supported.
  bool run(Cursor code, Row& row) noexcept {
    while (!code.is_over()) {
      const auto operation = code.fixed<std::uint8_t>();
      const std::uint64_t low = operation & 0x3f;
      switch (operation & 0xc0) {
        case 0x40:
          if (is_behind(low)) return true;
          continue;
        case 0x80:
          save(row, low, static_cast<std::int64_t>(code.uleb()) * common_.data_align);
          continue;
        case 0xc0:
          restore(row, low);
          continue;
        default:
          break;
      }
      if (operation >= 0x02 && operation <= 0x04) {
        const std::uint64_t delta = operation == 0x02   ? code.fixed<std::uint8_t>()
                                    : operation == 0x03 ? code.fixed<std::uint16_t>()
                                                        : code.fixed<std::uint32_t>();
        if (is_behind(delta)) return true;
      } else if (!step(operation, code, row)) {
        return false;
      }
    }
    return !code.has_failed();
  }
  void set_initial(const Row& row) noexcept { initial_ = row; }
  bool is_outermost() const noexcept { return is_outermost_; }

 private:
  bool is_behind(std::uint64_t delta) noexcept {
    location_ += delta * common_.code_align;
    return location_ > target_;
  }
  void restore(Row& row, std::uint64_t number) noexcept {
    if (number != kRbp) return;
    row.rule.saved = initial_.rule.saved;
    row.rule.rbp_offset = initial_.rule.rbp_offset;
  }
  bool step(std::uint8_t operation, Cursor& code, Row& row) noexcept {
    std::uint64_t number = 0;
    std::int64_t offset = 0;
    switch (operation) {
      case 0x00:  // nop
        return true;
      case 0x05:  // offset_extended
        number = code.uleb();
        save(row, number, static_cast<std::int64_t>(code.uleb()) * common_.data_align);
        return true;
      case 0x11:  // offset_extended_sf
        number = code.uleb();
        save(row, number, code.sleb() * common_.data_align);
        return true;
      case 0x06:  // restore_extended
        restore(row, code.uleb());
        return true;
      case 0x07:  // undefined: for the return address, the frame has no caller
        number = code.uleb();
        if (number == kReturnAddress) row.rule.kind = UnwindRule::outermost, is_outermost_ = true;
        return true;
      case 0x08:  // same_value
        if (code.uleb() == kRbp) save_rbp(row, UnwindRule::kept, 0);
        return true;
      case 0x09:  // register
        lose(row, code.uleb());
        code.uleb();
        return true;
      case 0x0a:  // remember_state
        if (remembered_ == kMaxRemembered) return false;
        stack_[remembered_++] = row;
        return true;
      case 0x0b:  // restore_state
        if (remembered_ == 0) return false;
        row = stack_[--remembered_];
        return true;
      case 0x0c:  // def_cfa
        number = code.uleb();
        define_cfa(row, number, static_cast<std::int64_t>(code.uleb()));
        return true;
      case 0x12:  // def_cfa_sf
        number = code.uleb();
        define_cfa(row, number, code.sleb() * common_.data_align);
        return true;
      case 0x0d:  // def_cfa_register
        define_cfa(row, code.uleb(), row.rule.cfa_offset);
        return true;
      case 0x0e:  // def_cfa_offset
        define_cfa(row, row.cfa_register, static_cast<std::int64_t>(code.uleb()));
        return true;
      case 0x13:  // def_cfa_offset_sf
        define_cfa(row, row.cfa_register, code.sleb() * common_.data_align);
        return true;
      case 0x0f:  // def_cfa_expression
        row.rule.kind =
            read_expression(code.part(code.uleb()), true, offset) ? UnwindRule::at_rbp : UnwindRule::unknown;
        row.rule.cfa_offset = static_cast<std::int32_t>(offset);
        return true;
      case 0x10:  // expression
        number = code.uleb();
        if (const Cursor expression = code.part(code.uleb()); number == kRbp) {
          if (read_expression(expression, false, offset))
            save_rbp(row, UnwindRule::beside_rbp, offset);
          else
            row.is_known = false;
        }
        return true;
      case 0x14:  // val_offset
      case 0x15:  // val_offset_sf
        lose(row, code.uleb());
        code.uleb();
        return true;
      case 0x16:  // val_expression
        lose(row, code.uleb());
        code.skip(code.uleb());
        return true;
      case 0x2e:  // GNU_args_size
        code.uleb();
        return true;
      default:
        return false;
    }
  }

  const Common& common_;
  std::uintptr_t location_;
  std::uintptr_t target_;
  Row initial_;
  Row stack_[kMaxRemembered];
  int remembered_ = 0;
  bool is_outermost_ = false;
};

/// Position of the FDE that may cover the address, from the sorted table; 0: none.
std::uintptr_t find_entry(const UnwindImage& image, std::uintptr_t address) noexcept {
  Cursor cursor{image.table, image.end};
  const auto version = cursor.fixed<std::uint8_t>();
  const auto frame_encoding = cursor.fixed<std::uint8_t>();
  const auto count_encoding = cursor.fixed<std::uint8_t>();
  const auto row_encoding = cursor.fixed<std::uint8_t>();
  // Version 1; linkers write a table of pairs of 32-bit offsets from its own beginning.
  if (version != 1 || count_encoding != 0x03 || row_encoding != 0x3b) return 0;
  cursor.pointer(frame_encoding);
  const auto count = cursor.fixed<std::uint32_t>();
  const unsigned char* const rows = cursor.at();
  if (cursor.has_failed() || count == 0 || count > static_cast<std::size_t>(image.end - rows) / 8) return 0;
  const auto at = [&](std::uint32_t row, unsigned column) {
    std::int32_t offset = 0;
    memcpy(&offset, rows + std::size_t{row} * 8 + column * 4, sizeof offset);
    return reinterpret_cast<std::uintptr_t>(image.table) + static_cast<std::uintptr_t>(std::intptr_t{offset});
  };
  std::uint32_t low = 0, high = count;  // find the last row that begins at or before the address
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (at(middle, 0) <= address ? low : high) = middle;
  }
  return at(low, 0) <= address ? at(low, 1) : 0;
}

}  // namespace

UnwindRule read_unwind_rule(const UnwindImage& image, std::uintptr_t return_address) noexcept {
  const std::uintptr_t address = return_address - 1;  // the call instruction itself: the next instruction may be in
                                                      // another function
  const std::uintptr_t at = find_entry(image, address);
  if (at == 0) return {};
  Cursor cursor = entry(image, at);
  const auto back = reinterpret_cast<std::uintptr_t>(cursor.at());
  const auto distance = cursor.fixed<std::uint32_t>();
  Common common;
  if (cursor.has_failed() || distance == 0 || !read_common(image, back - distance, common) || common.is_signal)
    return {};
  const std::uintptr_t begin = cursor.pointer(common.encoding);
  const std::uintptr_t length = cursor.pointer(common.encoding & 0x0f);
  if (cursor.has_failed() || address - begin >= length) return {};
  if (common.has_data) cursor.skip(cursor.uleb());
  Machine machine{common, begin, address};
  Row row;
  Machine initial{common, begin, UINTPTR_MAX};
  if (!initial.run(common.instructions, row)) return {};
  machine.set_initial(row);
  if (cursor.has_failed() || !machine.run(cursor, row)) return {};
  if (initial.is_outermost() || machine.is_outermost()) return {.kind = UnwindRule::outermost};
  return row.is_known ? row.rule : UnwindRule{};
}

#elif defined(__aarch64__)

UnwindRule read_unwind_rule(const UnwindImage&, std::uintptr_t) noexcept { return {.kind = UnwindRule::frame_record}; }

#else

UnwindRule read_unwind_rule(const UnwindImage&, std::uintptr_t) noexcept { return {}; }

#endif

}  // namespace meridian
