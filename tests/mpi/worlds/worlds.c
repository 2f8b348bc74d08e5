// SPDX-License-Identifier: Apache-2.0
// Programs of several MPI_COMM_WORLDs. Each process prints its name and every message and collective in which it takes
// part, so the truth is known without the tracer:
//   process A0 PID          rank 0 of the world that this program calls A
//   send A0 B1 TAG BYTES    recv A0 B1 TAG BYTES    (sender first in both)
//   coll KEY A0             one line for each participant; KEY is of one collective operation
//
// worlds SCENARIO [arguments]; children get their part as arguments of their own.

#include <arpa/inet.h>
#include <mpi.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "talk.h"

static char* program;

static MPI_Comm spawn(int children, int root, char* part, const char* name, MPI_Comm comm) {
  char* arguments[] = {"child", part, (char*)name, world_name, NULL};
  MPI_Comm inter;
  int codes[64];
  for (int i = 0; i < children; ++i) codes[i] = -7;
  const int result = MPI_Comm_spawn(program, arguments, children, MPI_INFO_NULL, root, comm, &inter, codes);
  if (rank == 0) say("spawned %s: %d %d", name, result, codes[0]);
  return inter;
}

// children N
static int run_spawn(int children) {
  i_am("A");
  MPI_Comm inter = spawn(children, 0, "meet", "B", MPI_COMM_WORLD);
  meet(&inter, 1, "B", "AB");
  return 0;
}

// Two worlds of the same size, and one more by only the last rank.
static int run_twice(int children) {
  i_am("A");
  MPI_Comm first = spawn(children, 0, "meet", "B", MPI_COMM_WORLD);
  MPI_Comm second = spawn(children, size - 1, "meet", "C", MPI_COMM_WORLD);
  meet(&second, 1, "C", "AC");
  meet(&first, 1, "B", "AB");
  return 0;
}

static int run_chain(int children) {
  i_am("A");
  MPI_Comm inter = spawn(children, 0, "chain", "B", MPI_COMM_WORLD);
  meet(&inter, 1, "B", "AB");
  return 0;
}

// Spawned over a communicator of two worlds.
static int run_over(int children) {
  i_am("A");
  MPI_Comm inter = spawn(children, 0, "over", "B", MPI_COMM_WORLD), both;
  MPI_Intercomm_merge(inter, 0, &both);
  int me;
  MPI_Comm_rank(both, &me);
  MPI_Comm third = spawn(1, 0, "third", "C", both);
  char key[100];
  if (me == 0) {
    MPI_Send(buffer, 77, MPI_CHAR, 0, 21, third);
    say("send A0 C0 21 77");
  }
  MPI_Barrier(third);
  snprintf(key, sizeof key, "ABC.barrier");
  collective(key);
  MPI_Comm_disconnect(&third);
  MPI_Comm_free(&both);
  MPI_Comm_disconnect(&inter);
  return 0;
}

static int run_multiple(char* other_program) {
  i_am("A");
  char* commands[] = {program, other_program};
  char* one[] = {"child", "meet", "B", "A", NULL};
  char** arguments[] = {one, one};
  const int counts[] = {1, 2};
  MPI_Info infos[2];
  MPI_Info_create(&infos[0]);
  MPI_Info_set(infos[0], "env", "WORLDS_SAYS=hello");
  infos[1] = MPI_INFO_NULL;
  MPI_Comm inter;
  int codes[3] = {-7, -7, -7};
  const int result =
      MPI_Comm_spawn_multiple(2, commands, arguments, counts, infos, size - 1, MPI_COMM_WORLD, &inter, codes);
  char value[200] = "";
  int is_there, keys;
  MPI_Info_get(infos[0], "env", 199, value, &is_there);
  MPI_Info_get_nkeys(infos[0], &keys);
  if (rank == 0)
    say("spawned: %d %d %d %d; info has %d key, env is %s", result, codes[0], codes[1], codes[2], keys, value);
  MPI_Info_free(&infos[0]);
  meet(&inter, 1, "B", "AB");
  return 0;
}

// There is no such program.
static int run_nothing(void) {
  i_am("A");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm inter = MPI_COMM_NULL;
  int codes[2] = {-7, -7}, class = 0;
  const int result =
      MPI_Comm_spawn("/no/such/program", MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes);
  MPI_Error_class(result, &class);
  if (rank == 0)
    say("spawned: %d class %d codes %d %d null %d", result, class, codes[0], codes[1], inter == MPI_COMM_NULL);
  return 0;
}

// Children that are killed, parents that leave without MPI_Finalize.
static int run_killed(int children) {
  i_am("A");
  MPI_Comm inter = spawn(children, 0, "killed", "B", MPI_COMM_WORLD);
  talk(inter, "B", 3);
  MPI_Barrier(inter);
  collective("AB.barrier");
  sleep(1);
  _exit(3);
}

// Parents and children wait for each other, for good.
static int run_hang(int children) {
  i_am("A");
  MPI_Comm inter = spawn(children, 0, "hang", "B", MPI_COMM_WORLD);
  return MPI_Recv(buffer, 1, MPI_CHAR, 0, 8, inter, MPI_STATUS_IGNORE);
}

static void write_file(const char* path, const char* text) {
  char beside[4200];
  snprintf(beside, sizeof beside, "%s.part", path);
  FILE* const file = fopen(beside, "w");
  if (file == NULL) abort();
  fputs(text, file);
  fclose(file);
  rename(beside, path);
}
static void read_file(const char* path, char* text, int room) {
  FILE* file = NULL;
  for (int i = 0; i < 3000 && (file = fopen(path, "r")) == NULL; ++i) usleep(10000);
  if (file == NULL || fgets(text, room, file) == NULL) abort();
  fclose(file);
}

// accept FILE NAME OTHERS TIMES; connect FILE NAME OTHERS TIMES
static int run_accept(char** words) {
  i_am(words[1]);
  char port[MPI_MAX_PORT_NAME];
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    write_file(words[0], port);
  }
  for (int i = 0; i < atoi(words[3]); ++i) {
    MPI_Comm inter;
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    char key[40];
    snprintf(key, sizeof key, "port%d", i);
    meet(&inter, 1, words[2], key);
  }
  if (rank == 0) MPI_Close_port(port);
  return 0;
}
static int run_connect(char** words) {
  i_am(words[1]);
  char port[MPI_MAX_PORT_NAME];
  if (rank == 0) read_file(words[0], port, sizeof port);
  for (int i = 0; i < atoi(words[3]); ++i) {
    MPI_Comm inter;
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    char key[40];
    snprintf(key, sizeof key, "port%d", i);
    meet(&inter, 0, words[2], key);
  }
  return 0;
}

// Two worlds that the first one starts, and that meet through a port.
static int run_ports(char* file) {
  i_am("A");
  char* accept[] = {"accept", file, "B", "C", "2", NULL};
  char* connect[] = {"connect", file, "C", "B", "2", NULL};
  MPI_Comm first, second;
  MPI_Comm_spawn(program, accept, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &first, MPI_ERRCODES_IGNORE);
  MPI_Comm_spawn(program, connect, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &second, MPI_ERRCODES_IGNORE);
  MPI_Barrier(first);
  collective("AB.barrier");
  MPI_Barrier(second);
  collective("AC.barrier");
  MPI_Comm_disconnect(&first);
  MPI_Comm_disconnect(&second);
  return 0;
}

static int socket_between(int is_server, const char* file, int is_unix) {
  char where[200];
  int fd = socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in ip = {.sin_family = AF_INET};
  ip.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  struct sockaddr_un path = {.sun_family = AF_UNIX};
  if (strlen(file) + 3 > sizeof path.sun_path) abort();
  strcpy(path.sun_path, file);
  strcat(path.sun_path, ".s");
  struct sockaddr* const address = is_unix ? (struct sockaddr*)&path : (struct sockaddr*)&ip;
  socklen_t bytes = is_unix ? sizeof path : sizeof ip;
  if (is_server) {
    if (bind(fd, address, bytes) != 0 || listen(fd, 1) != 0) abort();
    if (getsockname(fd, address, &bytes) != 0) abort();
    snprintf(where, sizeof where, "%d", ntohs(ip.sin_port));
    write_file(file, where);
    const int accepted = accept(fd, NULL, NULL);
    close(fd);
    return accepted;
  }
  read_file(file, where, sizeof where);
  ip.sin_port = htons((unsigned short)atoi(where));
  if (connect(fd, address, bytes) != 0) abort();
  return fd;
}

// Two worlds of one process each, that meet through a socket.
static int run_join(char* file) {
  i_am("A");
  MPI_Comm inter[2];
  for (int i = 0; i < 2; ++i) {
    char* arguments[] = {"join", file, i == 0 ? "B" : "C", i == 0 ? "C" : "B", NULL};
    MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter[i], MPI_ERRCODES_IGNORE);
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Barrier(inter[i]);
    collective(i == 0 ? "AB.barrier" : "AC.barrier");
    MPI_Comm_disconnect(&inter[i]);
  }
  return 0;
}
static void join_here(char** words, int is_unix) {
  const int is_server = words[1][0] == 'B';
  char file[300];
  snprintf(file, sizeof file, "%s.%d", words[0], is_unix);
  const int fd = socket_between(is_server, file, is_unix);
  MPI_Comm inter;
  MPI_Comm_join(fd, &inter);
  meet(&inter, is_server, words[2], is_unix ? "unix" : "tcp");
  close(fd);
}

static void to_parents(char** words) {
  MPI_Comm parents, same;
  MPI_Comm_get_parent(&parents);
  MPI_Comm_get_parent(&same);
  if (parents == MPI_COMM_NULL || parents != same) abort();
  char key[40];
  if (strcmp(words[1], "meet") == 0 || strcmp(words[1], "chain") == 0) {
    i_am(words[2]);
    if (strcmp(words[1], "chain") == 0) {
      MPI_Comm inter = spawn(1, 0, "meet", "C", MPI_COMM_WORLD);
      meet(&inter, 1, "C", "BC");
    }
    snprintf(key, sizeof key, "%s%s", words[3], words[2]);
    meet(&parents, 0, words[3], key);
    if (getenv("WORLDS_SAYS") != NULL) say("environment of %s%d says %s", world_name, rank, getenv("WORLDS_SAYS"));
  } else if (strcmp(words[1], "over") == 0) {
    i_am(words[2]);
    MPI_Comm both, third;
    MPI_Intercomm_merge(parents, 1, &both);
    third = spawn(1, 0, "third", "C", both);
    MPI_Barrier(third);
    collective("ABC.barrier");
    MPI_Comm_disconnect(&third);
    MPI_Comm_free(&both);
    MPI_Comm_disconnect(&parents);
  } else if (strcmp(words[1], "third") == 0) {
    i_am(words[2]);
    MPI_Recv(buffer, kMostBytes, MPI_CHAR, 0, 21, parents, MPI_STATUS_IGNORE);
    say("recv A0 C0 21 77");
    MPI_Barrier(parents);
    collective("ABC.barrier");
    MPI_Comm_disconnect(&parents);
  } else if (strcmp(words[1], "hang") == 0) {
    i_am(words[2]);
    MPI_Recv(buffer, 1, MPI_CHAR, 0, 8, parents, MPI_STATUS_IGNORE);
  } else if (strcmp(words[1], "killed") == 0) {
    i_am(words[2]);
    talk(parents, words[3], 3);
    MPI_Barrier(parents);
    collective("AB.barrier");
    usleep(500000);  // the launcher kills everybody: the parents must have left the barrier by then
    raise(9);
  } else {
    abort();
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  program = getenv("WORLDS_CHILD");
  if (program == NULL) program = argv[0];
  char** const words = argv + 1;
  const char* const what = argc > 1 ? words[0] : "spawn";
  const int number = argc > 2 ? atoi(words[1]) : 1;
  if (strcmp(what, "child") == 0) to_parents(words);
  if (strcmp(what, "spawn") == 0) run_spawn(number);
  if (strcmp(what, "twice") == 0) run_twice(number);
  if (strcmp(what, "chain") == 0) run_chain(number);
  if (strcmp(what, "over") == 0) run_over(number);
  if (strcmp(what, "multiple") == 0) run_multiple(words[1]);
  if (strcmp(what, "nothing") == 0) run_nothing();
  if (strcmp(what, "killed") == 0) run_killed(number);
  if (strcmp(what, "hang") == 0) run_hang(number);
  if (strcmp(what, "ports") == 0) run_ports(words[1]);
  if (strcmp(what, "joining") == 0) run_join(words[1]);
  if (strcmp(what, "accept") == 0 || strcmp(what, "connect") == 0) {
    MPI_Comm parents;
    MPI_Comm_get_parent(&parents);
    if (what[0] == 'a') {
      run_accept(words + 1);
    } else {
      run_connect(words + 1);
    }
    if (parents != MPI_COMM_NULL) {
      MPI_Barrier(parents);
      collective(what[0] == 'a' ? "AB.barrier" : "AC.barrier");
      MPI_Comm_disconnect(&parents);
    }
  }
  if (strcmp(what, "join") == 0) {
    MPI_Comm parents;
    MPI_Comm_get_parent(&parents);
    i_am(words[2]);
    join_here(words + 1, 0);
    join_here(words + 1, 1);
    MPI_Barrier(parents);
    collective(words[2][0] == 'B' ? "AB.barrier" : "AC.barrier");
    MPI_Comm_disconnect(&parents);
  }
  MPI_Finalize();
  return 0;
}
