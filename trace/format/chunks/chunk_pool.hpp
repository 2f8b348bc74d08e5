// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "trace/format/chunks/chunk_codec.hpp"
#include "trace/format/tables/h5.hpp"

namespace meridian {

/// A chunk of a column to be compressed and written.
struct PooledChunk {
  hid_t dataset = H5I_INVALID_HID;  ///< long enough for the chunk; stays open until the chunk is written
  hsize_t first = 0;                ///< row of the dataset
  std::vector<std::uint8_t> values;
  std::size_t rows = 0;
  ChunkCoding coding{};
  std::string path;  ///< of the column, for errors
};

/// Compresses chunks in other threads and writes them in the calling thread, which owns the file: HDF5 is called by it
/// only. Chunks are written in the order of submission and always the same number of submissions later, so a file has
/// the same bytes for any number of threads. One thread calls the members.
class ChunkPool {
 public:
  /// threads  besides the calling one; they start with the first chunk. 0: the calling thread compresses.
  explicit ChunkPool(unsigned threads = spare_processors()) : threads_wanted_{threads} {}
  /// Chunks that were not written are dropped.
  ~ChunkPool();
  ChunkPool(const ChunkPool&) = delete;
  ChunkPool& operator=(const ChunkPool&) = delete;

  /// Processors that this process may use, besides one for itself, as far as compression can keep them busy.
  static unsigned spare_processors();

  /// May write an earlier chunk, and its error is returned. errors: io; unsupported (a chunk cannot be compressed).
  Status submit(PooledChunk chunk);
  /// Closes a dataset once all of its chunks are written.
  void close(h5::Dataset dataset) { finished_.push_back(std::move(dataset)); }
  /// Writes all chunks and closes the datasets that were handed over.
  Status drain();
  /// An empty buffer, with the memory of a written chunk if there is one.
  std::vector<std::uint8_t> buffer();

 private:
  enum class State : std::uint8_t { waiting, taken, compressed };
  struct Job {
    PooledChunk chunk;
    std::vector<std::uint8_t> stream;  ///< empty: it cannot be compressed
    State state = State::waiting;
  };
  static void compress(Job& job);
  void start_threads();
  void work();
  Job* next_waiting();
  Status write_oldest();

  unsigned threads_wanted_;
  std::vector<std::thread> threads_;
  std::vector<h5::Dataset> finished_;
  std::vector<std::vector<std::uint8_t>> buffers_;  // of values and of streams

  std::mutex mutex_;  // protects what follows; a job that is taken belongs to its thread
  std::condition_variable has_work_, has_result_;
  std::deque<Job> jobs_;  // oldest first; elements do not move
  bool is_over_ = false;
};

}  // namespace meridian
