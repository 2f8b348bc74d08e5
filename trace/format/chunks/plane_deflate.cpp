// SPDX-License-Identifier: Apache-2.0
#include "trace/format/chunks/plane_deflate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace meridian {
namespace {

constexpr std::size_t kShortestMatch = 3, kLongestMatch = 258;
constexpr std::size_t kEndOfBlock = 256;
constexpr std::size_t kMostSymbols = 286;
constexpr unsigned kLongestCode = 15, kLongestLengthCode = 7;
constexpr std::uint32_t kAdlerModulus = 65521;
constexpr std::array<std::uint8_t, 19> kLengthOrder{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

struct Symbol {
  std::uint16_t symbol = 0;
  std::uint8_t extra_bits = 0;
  std::uint16_t extra = 0;
};

// For lengths 3 to 258 (RFC 1951, 3.2.5).
constexpr Symbol length_symbol(std::size_t length) {
  if (length == kLongestMatch) return {285, 0, 0};
  const std::size_t value = length - kShortestMatch;
  if (value < 8) return {static_cast<std::uint16_t>(257 + value), 0, 0};
  const auto power = static_cast<std::size_t>(std::bit_width(value)) - 1;
  const std::size_t bits = power - 2;
  return {static_cast<std::uint16_t>(257 + 4 * bits + (value >> bits)), static_cast<std::uint8_t>(bits),
          static_cast<std::uint16_t>(value & ((std::size_t{1} << bits) - 1))};
}

constexpr Symbol distance_symbol(std::size_t distance) {
  const std::size_t value = distance - 1;
  if (value < 4) return {static_cast<std::uint16_t>(value), 0, 0};
  const auto power = static_cast<std::size_t>(std::bit_width(value)) - 1;
  const std::size_t bits = power - 1;
  return {static_cast<std::uint16_t>(2 * bits + (value >> bits)), static_cast<std::uint8_t>(bits),
          static_cast<std::uint16_t>(value & ((std::size_t{1} << bits) - 1))};
}

// The lengths of a complete Huffman code for the symbols that are used, of which there are at least two.
void code_lengths(std::span<const std::uint32_t> uses, unsigned longest, std::span<std::uint8_t> lengths) {
  std::array<std::uint64_t, kMostSymbols> order;  // uses and symbol, ascending
  std::size_t count = 0;
  for (std::size_t symbol = 0; symbol < uses.size(); ++symbol)
    if (uses[symbol] != 0) order[count++] = std::uint64_t{uses[symbol]} << 16 | symbol;
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  std::array<std::uint64_t, 2 * kMostSymbols> weight;
  std::array<std::uint16_t, 2 * kMostSymbols> parent;
  for (std::size_t i = 0; i < count; ++i) weight[i] = order[i] >> 16;
  // Leaves and inner nodes are two queues, each in ascending order.
  std::size_t leaf = 0, inner = count;
  const std::size_t root = 2 * count - 2;
  for (std::size_t made = count; made <= root; ++made) {
    weight[made] = 0;
    for (int child = 0; child < 2; ++child) {
      const bool is_leaf = leaf < count && (inner >= made || weight[leaf] <= weight[inner]);
      const std::size_t taken = is_leaf ? leaf++ : inner++;
      weight[made] += weight[taken];
      parent[taken] = static_cast<std::uint16_t>(made);
    }
  }
  std::array<std::uint16_t, 2 * kMostSymbols> depth;
  std::array<std::uint32_t, kLongestCode + 1> of_length{};
  depth[root] = 0;
  for (std::size_t node = root; node-- > 0;) {
    depth[node] = static_cast<std::uint16_t>(depth[parent[node]] + 1);
    if (node < count) ++of_length[std::min<unsigned>(depth[node], longest)];
  }
  // Codes that were cut take too much room: a shorter code is split in two for each.
  std::uint64_t room = 0;
  for (unsigned length = 1; length <= longest; ++length) room += std::uint64_t{of_length[length]} << (longest - length);
  for (; room > std::uint64_t{1} << longest; --room) {
    --of_length[longest];
    unsigned length = longest - 1;
    while (of_length[length] == 0) --length;
    --of_length[length];
    of_length[length + 1] += 2;
  }
  std::size_t next = 0;  // the rarest symbols have the longest codes
  for (unsigned length = longest; length > 0; --length)
    for (std::uint32_t i = 0; i < of_length[length]; ++i)
      lengths[order[next++] & 0xffff] = static_cast<std::uint8_t>(length);
}

// The codes that follow from their lengths, first bit lowest.
void make_code(std::span<const std::uint8_t> lengths, std::span<std::uint32_t> bits) {
  std::array<std::uint32_t, kLongestCode + 2> next{};
  for (const std::uint8_t length : lengths)
    if (length != 0) ++next[length + 1u];
  for (unsigned length = 1; length < next.size(); ++length) next[length] = (next[length] + next[length - 1]) << 1;
  for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    if (lengths[symbol] == 0) continue;
    std::uint32_t code = next[lengths[symbol]]++, reversed = 0;
    for (unsigned i = 0; i < lengths[symbol]; ++i, code >>= 1) reversed = reversed << 1 | (code & 1);
    bits[symbol] = reversed;
  }
}

}  // namespace

void PlaneDeflater::reserve(std::size_t bytes) {
  if (out_.size() < size_ + bytes) out_.resize(2 * (size_ + bytes));
}

// At most 32 bits, if reserve() has made room.
void PlaneDeflater::put(std::uint32_t bits, std::uint32_t count) {
  pending_ |= std::uint64_t{bits} << pending_count_;
  pending_count_ += count;
  std::memcpy(out_.data() + size_, &pending_, sizeof pending_);
  size_ += pending_count_ / 8;
  pending_ >>= pending_count_ & ~7u;
  pending_count_ &= 7;
}

void PlaneDeflater::align() {
  if (pending_count_ != 0) put(0, 8 - pending_count_);
}

void PlaneDeflater::begin() {
  size_ = 0;
  pending_ = 0;
  pending_count_ = 0;
  adler_ = 1;
  reserve(16);
  put(0x0178, 16);
}

std::span<const std::uint8_t> PlaneDeflater::end() {
  reserve(32);
  put(0b011, 10);  // an empty block, the last one
  align();
  for (int i = 3; i >= 0; --i) put(adler_ >> (8 * i) & 0xff, 8);
  return {out_.data(), size_};
}

std::uint16_t* PlaneDeflater::add_match(std::uint16_t* token, std::size_t bytes) {
  while (bytes > 0) {
    std::size_t taken = std::min(bytes, kLongestMatch);
    if (bytes > taken && bytes - taken < kShortestMatch) taken = bytes - kShortestMatch;
    *token++ = static_cast<std::uint16_t>(256 + taken - kShortestMatch);
    bytes -= taken;
  }
  return token;
}

std::span<const std::uint16_t> PlaneDeflater::find_tokens(std::span<const std::uint8_t> plane, std::size_t distance) {
  if (tokens_.size() < plane.size()) tokens_.resize(plane.size());
  const std::size_t no_match = std::min(distance, plane.size()), count = plane.size() - no_match;
  std::uint16_t* token = std::copy_n(plane.begin(), no_match, tokens_.data());
  matches_.find(plane, no_match);
  for (std::size_t at = 0; at < count;) {
    const std::size_t match = matches_.next(at, count, true);
    for (; at < match; ++at) *token++ = plane[no_match + at];
    const std::size_t end = matches_.next(at, count, false);
    token = add_match(token, end - at);
    at = end;
  }
  return {tokens_.data(), token};
}

void PlaneDeflater::add(std::span<const std::uint8_t> plane, std::size_t distance, std::uint32_t adler) {
  if (distance == 0) {
    write_tokens(plane, 0, plane);
  } else {
    write_tokens(find_tokens(plane, distance), distance, plane);
  }
  adler_ = adler;
}

void PlaneDeflater::add_constant(std::uint8_t value, std::size_t count) {
  const std::size_t literals = count < 1 + kShortestMatch ? count : 1;
  if (const std::size_t most = count / kLongestMatch + 2 * kShortestMatch; tokens_.size() < most) tokens_.resize(most);
  std::uint16_t* const token = std::fill_n(tokens_.data(), literals, value);
  const std::span<const std::uint16_t> tokens{tokens_.data(), add_match(token, count - literals)};
  write_tokens(tokens, 1, {});
  const std::uint64_t n = count % kAdlerModulus, low = adler_ & 0xffff, high = adler_ >> 16;
  // n (n + 1) / 2, where the product may exceed the modulus but not 64 bits
  const std::uint64_t sum = (std::uint64_t{count} * (std::uint64_t{count} + 1) / 2) % kAdlerModulus;
  const std::uint64_t new_low = (low + n * value) % kAdlerModulus;
  const std::uint64_t new_high = (high + n * low + sum * value) % kAdlerModulus;
  adler_ = static_cast<std::uint32_t>(new_high << 16 | new_low);
}

std::uint64_t PlaneDeflater::make_codes(std::span<const std::uint32_t> uses, std::size_t distance) {
  std::array<std::uint32_t, kMostSymbols> symbol_uses{};
  std::uint64_t extra = 0;
  symbol_uses[kEndOfBlock] = 1;
  std::copy(uses.begin(), uses.begin() + 256, symbol_uses.begin());
  const Symbol far = distance_symbol(std::max<std::size_t>(distance, 1));
  for (std::size_t token = 256; token < kTokens; ++token) {
    if (uses[token] == 0) continue;
    const Symbol length = length_symbol(token - 256 + kShortestMatch);
    symbol_uses[length.symbol] += uses[token];
    extra += std::uint64_t{uses[token]} * (length.extra_bits + 1u + far.extra_bits);
  }
  // Two codes of distances, because some readers do not accept a single one.
  const std::size_t distances = std::max<std::size_t>(far.symbol, 1) + 1;
  lengths_.assign(kMostSymbols + distances, 0);
  const auto of_symbols = std::span{lengths_}.first(kMostSymbols);
  code_lengths(symbol_uses, kLongestCode, of_symbols);
  lengths_[kMostSymbols + far.symbol] = 1;
  lengths_[kMostSymbols + (far.symbol == 0 ? 1u : 0u)] = 1;
  std::array<std::uint32_t, kMostSymbols> bits{};
  make_code(of_symbols, bits);
  std::uint64_t total = extra;
  for (std::size_t symbol = 0; symbol < kMostSymbols; ++symbol)
    total += std::uint64_t{symbol_uses[symbol]} * of_symbols[symbol];
  for (std::size_t literal = 0; literal < 256; ++literal) codes_[literal] = {bits[literal], of_symbols[literal]};
  const std::uint32_t far_code = far.symbol == 0 ? 0 : 1;  // the other one is lower
  for (std::size_t token = 256; token < kTokens; ++token) {
    if (uses[token] == 0) continue;
    const Symbol length = length_symbol(token - 256 + kShortestMatch);
    Code code{bits[length.symbol], of_symbols[length.symbol]};
    const auto append = [&code](std::uint32_t more, std::uint32_t count) {
      code.bits |= more << code.count;
      code.count += count;
    };
    append(length.extra, length.extra_bits);
    append(far_code, 1);
    append(far.extra, far.extra_bits);
    codes_[token] = code;
  }
  return total;
}

// RFC 1951, 3.2.7. Zeros are shortened, nothing else: the lengths are few.
void PlaneDeflater::write_lengths(std::span<const std::uint8_t> lengths, std::size_t literals, std::size_t distances) {
  struct Item {
    std::uint8_t symbol;
    std::uint8_t extra;
    std::uint8_t extra_bits;
  };
  std::vector<Item> items;
  std::array<std::uint32_t, 19> uses{};
  for (std::size_t i = 0; i < lengths.size();) {
    std::size_t zeros = 0;
    while (i + zeros < lengths.size() && lengths[i + zeros] == 0 && zeros < 138) ++zeros;
    if (zeros >= 11) {
      items.push_back({18, static_cast<std::uint8_t>(zeros - 11), 7});
    } else if (zeros >= 3) {
      items.push_back({17, static_cast<std::uint8_t>(zeros - 3), 3});
    } else {
      items.push_back({lengths[i], 0, 0});
      zeros = 1;
    }
    ++uses[items.back().symbol];
    i += zeros;
  }
  if (std::ranges::count(uses, 0u) == 18) ++uses[uses[0] == 0 ? 0 : 1];  // a complete code has two symbols
  std::array<std::uint8_t, 19> code{};
  code_lengths(uses, kLongestLengthCode, code);
  std::array<std::uint32_t, 19> bits{};
  make_code(code, bits);
  std::size_t stored = code.size();
  while (stored > 4 && code[kLengthOrder[stored - 1]] == 0) --stored;
  put(static_cast<std::uint32_t>(literals - 257), 5);
  put(static_cast<std::uint32_t>(distances - 1), 5);
  put(static_cast<std::uint32_t>(stored - 4), 4);
  for (std::size_t i = 0; i < stored; ++i) put(code[kLengthOrder[i]], 3);
  for (const Item& item : items) {
    put(bits[item.symbol], code[item.symbol]);
    if (item.extra_bits != 0) put(item.extra, item.extra_bits);
  }
}

void PlaneDeflater::write_stored(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kMostStored = 65535;
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kMostStored));
    const auto count = static_cast<std::uint32_t>(piece.size());
    put(0, 3);
    align();
    put(count | (~count << 16), 32);
    std::memcpy(out_.data() + size_, piece.data(), piece.size());
    size_ += piece.size();
    bytes = bytes.subspan(piece.size());
  }
}

template <class Token>
void PlaneDeflater::write_tokens(std::span<const Token> tokens, std::size_t distance,
                                 std::span<const std::uint8_t> stored) {
  // Four tables, so that equal tokens in a row do not wait for each other.
  std::array<std::array<std::uint32_t, kTokens>, 4> counts{};
  const std::size_t whole = tokens.size() & ~std::size_t{3};
  for (std::size_t i = 0; i < whole; i += 4)
    for (std::size_t k = 0; k < 4; ++k) ++counts[k][tokens[i + k]];
  for (std::size_t i = whole; i < tokens.size(); ++i) ++counts[0][tokens[i]];
  for (std::size_t token = 0; token < kTokens; ++token)
    for (std::size_t k = 1; k < 4; ++k) counts[0][token] += counts[k][token];
  const std::uint64_t bits = make_codes(counts[0], distance);
  constexpr std::size_t kMostOverhead = 1024;  // of lengths, or of stored blocks, and what put() writes too far
  reserve(std::max<std::size_t>(stored.size(), bits / 8) + kMostOverhead);
  if (!stored.empty() && bits / 8 >= stored.size()) return write_stored(stored);
  put(0b100, 3);
  std::size_t literals = kMostSymbols;
  while (lengths_[literals - 1] == 0) --literals;  // the end of the block has a code: 257 at least
  const std::size_t distances = lengths_.size() - kMostSymbols;
  std::vector<std::uint8_t> used(lengths_.begin(), lengths_.begin() + static_cast<std::ptrdiff_t>(literals));
  used.insert(used.end(), lengths_.begin() + kMostSymbols, lengths_.end());
  const std::uint8_t end_length = lengths_[kEndOfBlock];
  write_lengths(used, literals, distances);
  std::uint64_t pending = pending_;
  std::uint32_t pending_count = pending_count_;
  std::uint8_t* out = out_.data() + size_;
  const auto add_code = [&](Token token) {
    pending |= std::uint64_t{codes_[token].bits} << pending_count;
    pending_count += codes_[token].count;
  };
  const auto flush = [&] {
    std::memcpy(out, &pending, sizeof pending);
    out += pending_count / 8;
    pending >>= pending_count & ~7u;
    pending_count &= 7;
  };
  // As many tokens at once as fit: a match takes more bits than a literal.
  constexpr unsigned kMostBits = sizeof(Token) == 1 ? kLongestCode : kLongestCode + 5 + 1 + 6;
  constexpr std::size_t kAtOnce = 56 / kMostBits;
  std::size_t i = 0;
  for (; i + kAtOnce <= tokens.size(); i += kAtOnce) {
    for (std::size_t k = 0; k < kAtOnce; ++k) add_code(tokens[i + k]);
    flush();
  }
  for (; i < tokens.size(); ++i) {
    add_code(tokens[i]);
    flush();
  }
  size_ = static_cast<std::size_t>(out - out_.data());
  pending_ = pending;
  pending_count_ = pending_count;
  std::array<std::uint32_t, kMostSymbols> codes{};
  make_code(std::span{lengths_}.first(kMostSymbols), codes);
  put(codes[kEndOfBlock], end_length);
}

}  // namespace meridian
