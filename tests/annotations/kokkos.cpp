// SPDX-License-Identifier: Apache-2.0
// A program of Kokkos with known kernels, regions and copies: 3 x a, 2 x b in an outer region, an event, a section. kokkos
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Kokkos::initialize(argc, argv);
  double sum = 0;
  {
    Kokkos::View<double*> values("values", 1000), copied("copied", 1000);
    for (int step = 0; step < 3; ++step)
      Kokkos::parallel_for(
          "a", 1000, KOKKOS_LAMBDA(int i) { values(i) = i * step; });
    Kokkos::Profiling::pushRegion("outer");
    for (int step = 0; step < 2; ++step)
      Kokkos::parallel_reduce(
          "b", 1000, KOKKOS_LAMBDA(int i, double& part) { part += values(i); }, sum);
    Kokkos::Profiling::popRegion();
    Kokkos::Profiling::markEvent("half way");
    Kokkos::deep_copy(copied, values);
  }
  if (rank == 0) std::printf("%.0f\n", sum);
  Kokkos::finalize();
  MPI_Finalize();
}
