// SPDX-License-Identifier: Apache-2.0
// Calls from the frames that C++ makes: templates, virtual functions, lambdas in the standard library, catch clauses.
#include <mpi.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "paths.h"

namespace shapes {

[[gnu::noinline]] void look() {
  int flag = 0;
  CALL("MPI_Initialized", MPI_Initialized(&flag));
  KEEP;
}

template <int N>
[[gnu::noinline]] void nested() {
  if constexpr (N > 0)
    nested<N - 1>();
  else
    look();
  KEEP;
}

struct Shape {
  virtual ~Shape() = default;
  virtual void draw() const = 0;
};
struct Circle : Shape {
  void draw() const override {
    look();
    KEEP;
  }
};

struct Guard {
  ~Guard() {
    look();
    KEEP;
  }
};

[[gnu::noinline]] void fail(int levels) {
  const Guard guard;
  if (levels == 0) throw levels;
  fail(levels - 1);
  KEEP;
}

}  // namespace shapes

int main(int argc, char** argv) {
  int provided = 0;
  CALL("MPI_Init_thread", MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
  shapes::nested<12>();
  const std::unique_ptr<shapes::Shape> shape = std::make_unique<shapes::Circle>();
  shape->draw();
  std::vector<int> numbers{5, 3, 4, 1, 2};
  std::sort(numbers.begin(), numbers.end(), [](int a, int b) {
    shapes::look();
    return a < b;
  });
  const std::function<void(int)> call = [&](int levels) {
    if (levels > 0) call(levels - 1);
    shapes::look();
  };
  call(3);
  try {
    shapes::fail(3);
  } catch (int) {
    CALL("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));
  }
  if (provided == MPI_THREAD_MULTIPLE) {
    std::thread thread{[] { shapes::nested<4>(); }};
    thread.join();
  }
  CALL("MPI_Finalize", MPI_Finalize());
  return 0;
}
