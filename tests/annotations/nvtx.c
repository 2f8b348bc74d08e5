/* SPDX-License-Identifier: Apache-2.0 */
/* A program with ranges and marks of NVTX 3: texts, attributes, wide and registered texts, a domain. nvtx */
#include <mpi.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 3; ++step) {
    const int outer = nvtxRangePushA("outer");
    const int inner = nvtxRangePushW(L"w\u00e4rme");
    const int first_end = nvtxRangePop(), second_end = nvtxRangePop();
    if (rank == 0) printf("%d %d %d %d\n", outer, inner, first_end, second_end);
  }
  nvtxDomainHandle_t domain = nvtxDomainCreateA("solver");
  nvtxEventAttributes_t attributes = {0};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = nvtxDomainRegisterStringA(domain, "sweep");
  for (int step = 0; step < 2; ++step) {
    nvtxDomainRangePushEx(domain, &attributes);
    nvtxDomainRangePop(domain);
  }
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "restart";
  nvtxMarkEx(&attributes);
  nvtxMarkA("restart");
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
