// SPDX-License-Identifier: Apache-2.0
// Writes an OTF2 archive by the conventions of Score-P: MPI regions with the paradigm MPI, records of communication between their
// enter and leave, numbers of each location with mapping tables, clock offsets, metrics, several threads and processes.
//
//   write_archive FOLDER    makes FOLDER/traces.otf2
#include <otf2/otf2.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t kTicksPerSecond = 10'000'000, kOffset = 5'000'000, kStep = 1000;
constexpr std::uint32_t kRanks = 3;
constexpr OTF2_LocationRef kThread = 7, kStream = 8, kDaemon = 9;  // of rank 0; of its accelerator; of no MPI process

void must(OTF2_ErrorCode code) {
  if (code == OTF2_SUCCESS) return;
  std::fprintf(stderr, "libotf2: %s\n", OTF2_Error_GetDescription(code));
  std::exit(1);
}

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }
OTF2_TimeStamp flush_time(void*, OTF2_FileType, OTF2_LocationRef) { return 0; }

enum Region : OTF2_RegionRef {
  kSend,
  kIrecv,
  kWait,
  kBcast,
  kSolve,
  kHostile,
  kDup,
  kSendInit,
  kRecvInit,
  kStart,
  kOpen,
  kPut
};
const std::vector<std::string> kRegionNames{
    "MPI_Send",     "mpi_irecv_",    "MPI_Wait",      "MPI_Bcast", "solve",           "evil \x1b[2J \"\n\\ \xff\xfe",
    "MPI_Comm_dup", "MPI_Send_init", "MPI_Recv_init", "MPI_Start", "open at the end", "MPI_Put"};

/// The records of one location; time goes on with each.
class Location {
 public:
  Location(OTF2_Archive* archive, OTF2_LocationRef self, std::uint64_t start) : is_counting_{self == 1}, now_{start} {
    writer_ = OTF2_Archive_GetEvtWriter(archive, self);
  }
  /// Regions have other numbers here than in the whole archive: see main().
  void enter(Region region) {
    count();
    must(OTF2_EvtWriter_Enter(writer_, nullptr, tick(), local(region)));
  }
  void leave(Region region) {
    count();
    must(OTF2_EvtWriter_Leave(writer_, nullptr, tick(), local(region)));
  }
  std::uint64_t tick() { return now_ += kStep; }
  std::uint64_t now() const { return now_; }
  OTF2_EvtWriter* writer() const { return writer_; }
  static OTF2_RegionRef local(Region region) { return static_cast<OTF2_RegionRef>(kRegionNames.size()) - 1 - region; }

  void send(std::uint32_t to, std::uint32_t tag, std::uint64_t bytes) {
    enter(kSend);
    must(OTF2_EvtWriter_MpiSend(writer_, nullptr, tick(), to, 0, tag, bytes));
    leave(kSend);
  }
  void receive(std::uint32_t from, std::uint32_t tag, std::uint64_t bytes, std::uint64_t request) {
    enter(kIrecv);
    must(OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, tick(), request));
    leave(kIrecv);
    enter(kWait);
    must(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, tick(), from, 0, tag, bytes, request));
    leave(kWait);
  }
  void collective(Region region, OTF2_CollectiveOp op, std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
    enter(region);
    must(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, tick()));
    must(OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, tick(), op, 0, root, sent, received));
    leave(region);
  }
  void measure(std::uint64_t value, OTF2_MetricRef metric = 0) {
    OTF2_Type type = OTF2_TYPE_UINT64;
    OTF2_MetricValue measured{};
    measured.unsigned_int = value;
    must(OTF2_EvtWriter_Metric(writer_, nullptr, now_, metric, 1, &type, &measured));
  }

 private:
  /// A counter at each enter and leave: the time so far.
  void count() {
    if (is_counting_) measure(now_ - kOffset, 1);
  }

  bool is_counting_;
  OTF2_EvtWriter* writer_;
  std::uint64_t now_;
};

void write_events(OTF2_Archive* archive, std::vector<std::uint64_t>& ends) {
  must(OTF2_Archive_OpenEvtFiles(archive));
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    // The clock of rank 2 is late by 3000 ticks, which its clock offsets say.
    Location at{archive, rank, kOffset - (rank == 2 ? 3000 : 0)};
    const std::uint32_t next = (rank + 1) % kRanks, previous = (rank + kRanks - 1) % kRanks;
    at.measure(100);
    at.enter(kSolve);
    at.send(next, 4, 80);
    at.receive(previous, 4, 80, 1000 + rank);
    at.collective(kDup, OTF2_COLLECTIVE_OP_CREATE_HANDLE, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    at.collective(kBcast, OTF2_COLLECTIVE_OP_BCAST, 1, rank == 1 ? 16 * kRanks : 0, 16);
    at.enter(kHostile);
    at.leave(kHostile);
    at.measure(300);
    at.leave(kSolve);
    at.enter(kSendInit);
    at.leave(kSendInit);
    at.enter(kRecvInit);
    at.leave(kRecvInit);
    for (std::uint64_t request = 0; request < 3; ++request) {
      at.enter(kStart);
      must(OTF2_EvtWriter_MpiIrecvRequest(at.writer(), nullptr, at.tick(), 50));
      at.leave(kStart);
      at.enter(kStart);
      must(OTF2_EvtWriter_MpiIsend(at.writer(), nullptr, at.tick(), next, 0, 9, 24, 51));
      at.leave(kStart);
      at.enter(kWait);
      must(OTF2_EvtWriter_MpiIsendComplete(at.writer(), nullptr, at.tick(), 51));
      at.leave(kWait);
      at.enter(kWait);
      must(OTF2_EvtWriter_MpiIrecv(at.writer(), nullptr, at.tick(), previous, 0, 9, 24, 50));
      at.leave(kWait);
    }
    must(OTF2_EvtWriter_BufferFlush(at.writer(), nullptr, at.now(), at.now() + 10));
    at.enter(kPut);
    must(OTF2_EvtWriter_RmaPut(at.writer(), nullptr, at.tick(), 0, next, 8, 0));
    at.leave(kPut);
    must(OTF2_EvtWriter_ParameterInt(at.writer(), nullptr, at.tick(), 0, 5));
    if (rank == 1) at.leave(kSolve);  // not entered
    if (rank == 0) at.enter(kOpen);
    ends.push_back(at.tick());
  }
  Location thread{archive, kThread, kOffset};
  for (int i = 0; i < 2; ++i) {
    thread.enter(kSolve);
    must(OTF2_EvtWriter_ThreadAcquireLock(thread.writer(), nullptr, thread.tick(), OTF2_PARADIGM_PTHREAD, 1, 1));
    thread.leave(kSolve);
  }
  for (const OTF2_LocationRef other : {kStream, kDaemon}) {
    Location location{archive, other, kOffset};
    location.enter(kSolve);
    location.leave(kSolve);
  }
  must(OTF2_Archive_CloseEvtFiles(archive));
}

void write_local_definitions(OTF2_Archive* archive, const std::vector<std::uint64_t>& ends) {
  std::vector<std::uint32_t> global(kRegionNames.size());
  for (std::uint32_t region = 0; region < global.size(); ++region)
    global[Location::local(static_cast<Region>(region))] = region;
  must(OTF2_Archive_OpenDefFiles(archive));
  for (const OTF2_LocationRef location :
       {OTF2_LocationRef{0}, OTF2_LocationRef{1}, OTF2_LocationRef{2}, kThread, kStream, kDaemon}) {
    OTF2_DefWriter* const writer = OTF2_Archive_GetDefWriter(archive, location);
    OTF2_IdMap* const map = OTF2_IdMap_CreateFromUint32Array(global.size(), global.data(), false);
    must(OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_REGION, map));
    OTF2_IdMap_Free(map);
    if (location == 2) {
      must(OTF2_DefWriter_WriteClockOffset(writer, kOffset - 3000, 3000, 0));
      must(OTF2_DefWriter_WriteClockOffset(writer, ends[2], 3000, 0));
    }
    must(OTF2_Archive_CloseDefWriter(archive, writer));
  }
  must(OTF2_Archive_CloseDefFiles(archive));
}

class GlobalDefinitions {
 public:
  explicit GlobalDefinitions(OTF2_Archive* archive) : writer_{OTF2_Archive_GetGlobalDefWriter(archive)} {}

  OTF2_StringRef text(const std::string& value) {
    must(OTF2_GlobalDefWriter_WriteString(writer_, strings_, value.c_str()));
    return strings_++;
  }
  void write(std::uint64_t length) {
    must(OTF2_GlobalDefWriter_WriteClockProperties(writer_, kTicksPerSecond, kOffset - 3000, length,
                                                   1'700'000'000'000'000'000));
    const OTF2_StringRef nothing = text(""), node = text("node"), machine = text("machine");
    for (std::uint32_t region = 0; region < kRegionNames.size(); ++region) {
      const OTF2_StringRef name = text(kRegionNames[region]);
      const bool is_mpi = kRegionNames[region].starts_with("MPI") || kRegionNames[region].starts_with("mpi");
      must(OTF2_GlobalDefWriter_WriteRegion(writer_, region, name, name, nothing, OTF2_REGION_ROLE_FUNCTION,
                                            is_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
                                            nothing, 0, 0));
    }
    must(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, 0, machine, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (std::uint32_t host = 1; host <= 2; ++host)
      must(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, host, text("host" + std::to_string(host)), node, 0));
    for (std::uint32_t rank = 0; rank < kRanks; ++rank)
      process(rank, OTF2_LOCATION_GROUP_TYPE_PROCESS, rank == 2 ? 2 : 1);
    process(3, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 1);
    process(4, OTF2_LOCATION_GROUP_TYPE_PROCESS, 1);
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) location(rank, OTF2_LOCATION_TYPE_CPU_THREAD, 60, rank);
    location(kThread, OTF2_LOCATION_TYPE_CPU_THREAD, 6, 0);
    location(kStream, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 2, 3);
    location(kDaemon, OTF2_LOCATION_TYPE_CPU_THREAD, 2, 4);
    const std::vector<std::uint64_t> ranks{0, 1, 2};
    group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, ranks);
    group(1, OTF2_GROUP_TYPE_COMM_GROUP, ranks);
    group(2, OTF2_GROUP_TYPE_COMM_SELF, {});
    must(OTF2_GlobalDefWriter_WriteComm(writer_, 0, text("MPI_COMM_WORLD"), 1, OTF2_UNDEFINED_COMM,
                                        OTF2_COMM_FLAG_NONE));
    must(
        OTF2_GlobalDefWriter_WriteComm(writer_, 1, text("MPI_COMM_SELF"), 2, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    must(OTF2_GlobalDefWriter_WriteMetricMember(writer_, 0, text("PAPI_TOT_INS"), nothing, OTF2_METRIC_TYPE_PAPI,
                                                OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0,
                                                nothing));
    must(OTF2_GlobalDefWriter_WriteMetricMember(writer_, 1, text("PAPI_TOT_CYC"), nothing, OTF2_METRIC_TYPE_PAPI,
                                                OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0,
                                                nothing));
    const OTF2_MetricMemberRef member = 0, counter = 1;
    must(OTF2_GlobalDefWriter_WriteMetricClass(writer_, 1, 1, &counter, OTF2_METRIC_SYNCHRONOUS_STRICT,
                                               OTF2_RECORDER_KIND_CPU));
    must(
        OTF2_GlobalDefWriter_WriteMetricClass(writer_, 0, 1, &member, OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
    must(OTF2_GlobalDefWriter_WriteParameter(writer_, 0, nothing, OTF2_PARAMETER_TYPE_INT64));
    must(OTF2_GlobalDefWriter_WriteRmaWin(writer_, 0, nothing, 0, OTF2_RMA_WIN_FLAG_NONE));
  }

 private:
  void process(OTF2_LocationGroupRef self, OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef host) {
    must(OTF2_GlobalDefWriter_WriteLocationGroup(writer_, self, text("process"), type, host,
                                                 OTF2_UNDEFINED_LOCATION_GROUP));
  }
  void location(OTF2_LocationRef self, OTF2_LocationType type, std::uint64_t events, OTF2_LocationGroupRef process) {
    must(OTF2_GlobalDefWriter_WriteLocation(writer_, self, text("location"), type, events, process));
  }
  void group(OTF2_GroupRef self, OTF2_GroupType type, const std::vector<std::uint64_t>& members) {
    must(OTF2_GlobalDefWriter_WriteGroup(writer_, self, 0, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                         static_cast<std::uint32_t>(members.size()), members.data()));
  }

  OTF2_GlobalDefWriter* writer_;
  OTF2_StringRef strings_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  OTF2_Archive* const archive =
      OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, 1 << 20, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive == nullptr) return 1;
  const OTF2_FlushCallbacks callbacks{&flush, &flush_time};
  must(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
  must(OTF2_Archive_SetFlushCallbacks(archive, &callbacks, nullptr));
  must(OTF2_Archive_SetCreator(archive, "Score-P 8.0"));
  std::vector<std::uint64_t> ends;
  write_events(archive, ends);
  write_local_definitions(archive, ends);
  GlobalDefinitions{archive}.write(ends[0] - kOffset + kStep + 3000);
  must(OTF2_Archive_Close(archive));
  return 0;
}
