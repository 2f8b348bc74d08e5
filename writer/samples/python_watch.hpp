// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "trace/ring/ring_file.hpp"
#include "writer/samples/loaded_files.hpp"
#include "writer/samples/python_reader.hpp"

namespace meridian {

/// Reads the lines of Python that a thread is in whenever the kernel takes a sample of it: a thread of this process waits for the
/// kernel's notice, and reads what the interpreter keeps in memory some 50 us later.
class PythonWatch {
 public:
  /// `clock`: of the samples. Where no thread can be made, no lines are read.
  PythonWatch(std::int32_t pid, const PythonPlace& place, clockid_t clock);
  ~PythonWatch();
  PythonWatch(const PythonWatch&) = delete;
  PythonWatch& operator=(const PythonWatch&) = delete;

  /// The thread that runs Python.
  std::int32_t kernel_tid() const noexcept { return place_.kernel_tid; }
  /// An address of code in the interpreter's file.
  std::uint64_t interpreter() const noexcept { return place_.interpreter; }
  /// Sets the event that takes samples of the thread; -1: none are taken.
  void watch(int event);
  /// The same, of samples that the thread takes itself: the word changes with each of them (futex), and must outlive this.
  void watch(const std::atomic<std::uint32_t>& bell);
  /// Takes over what was read since the last call, and drops what was read before.
  void take();
  /// The lines at a sample, the innermost first; empty: they were not read, or too late. `time_ns`: not less than at the last call
  /// since take().
  const std::vector<std::uint64_t>& at(std::uint64_t time_ns);
  /// The lines that were new since the last call.
  std::vector<PythonReader::Line> take_lines();
  /// errno with which the kernel refuses to copy memory of the process; 0: it does not.
  int refusal();

 private:
  struct Reading {
    std::uint64_t time_ns = 0;
    std::vector<std::uint64_t> sites;
  };
  /// What tells of samples; neither: nothing does.
  struct Source {
    Descriptor event{};
    const std::atomic<std::uint32_t>* bell = nullptr;
    std::uint32_t heard = 0;  // value of the bell
  };
  void change_to(Source source);
  void run();
  /// Waits for a sample, or for a wake-up; whether a sample was taken.
  bool wait();
  void wake() noexcept;

  const PythonPlace place_;
  const clockid_t clock_;
  Descriptor doorbell_;
  std::mutex mutex_;  // of all that follows up to the thread
  PythonReader reader_;
  Source source_;  // used by the thread alone: it takes over next_source_
  Source next_source_;
  bool has_next_source_ = false, is_over_ = false;
  std::vector<Reading> new_readings_;
  std::vector<Reading> readings_;
  std::size_t next_ = 0;  // the first reading that is not older than the last sample
  std::thread thread_;
};

/// Puts lines of Python, if there are any, in place of the interpreter's frames and of those around them. `addresses`: of a sample, the
/// innermost first; `interpreter`: an address of code in its file.
void put_python_lines(const std::vector<std::uint64_t>& lines, const LoadedFiles& files, std::uint64_t interpreter,
                      std::vector<std::uint64_t>& addresses);

}  // namespace meridian
