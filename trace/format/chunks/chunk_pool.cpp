// SPDX-License-Identifier: Apache-2.0
#include "trace/format/chunks/chunk_pool.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace meridian {
namespace {

constexpr std::size_t kMostWaiting = 12;  // chunks: 6 MiB of 64-bit values
constexpr unsigned kMostThreads = 3;      // compression takes less time than all else that a merge does

}  // namespace

ChunkPool::~ChunkPool() {
  {
    const std::lock_guard lock{mutex_};
    is_over_ = true;
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

unsigned ChunkPool::spare_processors() {
  const unsigned all = std::thread::hardware_concurrency();  // those of the affinity mask; 0: unknown
  return all == 0 ? 0 : std::min(all - 1, kMostThreads);
}

void ChunkPool::compress(Job& job) {
  try {
    const auto stream = encode_chunk(job.chunk.values.data(), job.chunk.rows, job.chunk.coding);
    job.stream.assign(stream.begin(), stream.end());
  } catch (const std::bad_alloc&) {  // must not leave a thread; an empty stream is an error of the writing thread
    job.stream.clear();
  }
}

void ChunkPool::start_threads() {
  try {
    for (; threads_wanted_ > 0; --threads_wanted_) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // the limit on threads is reached: those that there are do the work
    threads_wanted_ = 0;
  }
}

ChunkPool::Job* ChunkPool::next_waiting() {
  const auto at = std::ranges::find(jobs_, State::waiting, &Job::state);
  if (at == jobs_.end()) return nullptr;
  at->state = State::taken;
  return &*at;
}

void ChunkPool::work() {
  std::unique_lock lock{mutex_};
  while (!is_over_) {
    Job* const job = next_waiting();
    if (job == nullptr) {
      has_work_.wait(lock);
      continue;
    }
    lock.unlock();
    compress(*job);
    lock.lock();
    job->state = State::compressed;
    has_result_.notify_one();
  }
}

Status ChunkPool::submit(PooledChunk chunk) {
  if (threads_wanted_ > 0) start_threads();
  bool is_full = false;
  {
    const std::lock_guard lock{mutex_};
    Job& job = jobs_.emplace_back();
    job.chunk = std::move(chunk);
    is_full = jobs_.size() > kMostWaiting;
  }
  has_work_.notify_one();
  return is_full ? write_oldest() : Status{};
}

Status ChunkPool::write_oldest() {
  Job done;
  {
    std::unique_lock lock{mutex_};
    while (jobs_.front().state != State::compressed) {
      if (Job* const job = next_waiting(); job != nullptr) {
        lock.unlock();
        compress(*job);
        lock.lock();
        job->state = State::compressed;
      } else {
        has_result_.wait(lock);
      }
    }
    done = std::move(jobs_.front());
    jobs_.pop_front();
  }
  const PooledChunk& chunk = done.chunk;
  if (done.stream.empty()) return Error{Errc::unsupported, "cannot compress column '" + chunk.path + "'", ""};
  const h5::Quiet quiet;
  if (H5Dwrite_chunk(chunk.dataset, H5P_DEFAULT, 0, &chunk.first, done.stream.size(), done.stream.data()) < 0)
    return h5::failure(Errc::io, "cannot write column '" + chunk.path + "'");
  buffers_.push_back(std::move(done.chunk.values));
  return {};
}

Status ChunkPool::drain() {
  while (!jobs_.empty()) MERIDIAN_TRY_DO(write_oldest());  // only this thread adds or removes jobs
  for (h5::Dataset& dataset : finished_)
    if (!dataset.close()) return h5::failure(Errc::io, "cannot close a column");
  finished_.clear();
  return {};
}

std::vector<std::uint8_t> ChunkPool::buffer() {
  if (buffers_.empty()) return {};
  std::vector<std::uint8_t> buffer = std::move(buffers_.back());
  buffers_.pop_back();
  buffer.clear();
  return buffer;
}

}  // namespace meridian
