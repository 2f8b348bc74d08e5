// MPI_Pcontrol: 0 stops recording, 1 starts it again.
#include "subject.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(0);
  int got = 0;
  for (int i = 0; i < 5; ++i) MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Pcontrol(1);
  MPI_Barrier(MPI_COMM_WORLD);
  return end("control");
}
