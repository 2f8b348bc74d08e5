// SPDX-License-Identifier: Apache-2.0
// MPI calls that the program makes from inside MPI: in reduction operators, attribute functions, error handlers and
// generalized requests, in callbacks inside callbacks, and in MPI_Finalize. They are the program's as any other call;
// those that the library makes of itself are not.
#include <setjmp.h>

#include "subject.h"

static int inside;
static MPI_Comm made = MPI_COMM_NULL;
static jmp_buf out;

/// A message to the next rank and one from the previous one.
static void pass_on(MPI_Comm comm, int tag) {
  int in = -1, out_value = rank, me, all;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &all);
  MPI_Sendrecv(&out_value, 1, MPI_INT, (me + 1) % all, tag, &in, 1, MPI_INT, (me + all - 1) % all, tag, comm,
               MPI_STATUS_IGNORE);
  REQUIRE(in >= 0 && in < size);
  ++inside;
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  ++inside;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static int copy(MPI_Comm comm, int key, void* extra, void* value, void* copied, int* flag) {
  int me = 0;
  MPI_Comm_rank(comm, &me);
  ++inside;
  (void)key, (void)extra;
  *(void**)copied = value;
  *flag = me == rank;
  return MPI_SUCCESS;
}

static int drop(MPI_Comm comm, int key, void* value, void* extra) {
  int all = 0;
  MPI_Comm_size(comm, &all);
  ++inside;
  (void)key, (void)extra, (void)value;
  return MPI_SUCCESS;
}

/// Sends, and makes a communicator.
static int make(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra, (void)value;
  pass_on(MPI_COMM_WORLD, 5);
  const int result = MPI_Comm_dup(MPI_COMM_WORLD, &made);
  ++inside;  // behind the call: a jump to it would look like a call of the library to the counter
  return result;
}

/// Frees another communicator, whose attribute has a callback, too.
static int free_other(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  MPI_Comm_free((MPI_Comm*)value);
  pass_on(MPI_COMM_WORLD, 6);
  return MPI_SUCCESS;
}

/// Leaves a call that it makes by a jump, and continues.
static int jump(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra, (void)value;
  if (setjmp(out) == 0) MPI_Send(&rank, 1, MPI_INT, size + 1, 0, made);
  pass_on(MPI_COMM_WORLD, 7);
  return MPI_SUCCESS;
}

static int say_goodbye(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)extra, (void)value;
  pass_on(comm, 8);
  return MPI_SUCCESS;
}

static void answer(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  pass_on(MPI_COMM_WORLD, 9);
}

static void jump_out(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  longjmp(out, 1);
}

static int query(void* extra, MPI_Status* status) {
  (void)extra;
  pass_on(MPI_COMM_WORLD, 10);
  MPI_Status_set_elements(status, MPI_INT, 1);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

static int cancel(void* extra, int is_complete) {
  (void)extra, (void)is_complete;
  return MPI_SUCCESS;
}

static MPI_Comm with_attribute(MPI_Comm_delete_attr_function* callback, void* value) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm comm;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, callback, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_attr(comm, key, value);
  MPI_Comm_free_keyval(&key);
  return comm;
}

static void reduce_and_copy(void) {
  MPI_Op op;
  int sum[2] = {rank, 1}, key = 0;
  MPI_Op_create(add, 1, &op);
  MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_INT, op, MPI_COMM_WORLD);
  REQUIRE(sum[0] == size * (size - 1) / 2 && sum[1] == size);
  MPI_Op_free(&op);
  MPI_Comm comm, copied;
  MPI_Comm_create_keyval(copy, drop, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_attr(comm, key, &inside);
  MPI_Comm_dup(comm, &copied);
  MPI_Comm_free(&copied);
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&key);
  REQUIRE(inside >= 3);
}

/// A communicator that a callback makes may get the handle of one that was freed before, with other ranks.
static void make_in_callback(void) {
  MPI_Comm reversed, comm = with_attribute(make, NULL);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&comm);
  int sum = 0;
  for (int i = 0; i < 10; ++i) MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made);
  REQUIRE(sum == size * (size - 1) / 2);
  pass_on(made, 11);
}

static void fail(void) {
  MPI_Errhandler answering, jumping;
  MPI_Comm_create_errhandler(answer, &answering);
  MPI_Comm_create_errhandler(jump_out, &jumping);
  MPI_Comm_set_errhandler(made, answering);
  MPI_Send(&rank, 1, MPI_INT, size + 1, 0, made);
  MPI_Comm_set_errhandler(made, jumping);
  MPI_Comm comm = with_attribute(jump, NULL);
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&answering);
  MPI_Errhandler_free(&jumping);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  reduce_and_copy();
  make_in_callback();
  MPI_Comm inner = with_attribute(say_goodbye, NULL), outer = with_attribute(free_other, &inner);
  MPI_Comm_free(&outer);
  fail();
  // The library calls MPI_Comm_free through a pointer, as it does where a callback ends with a jump to it.
  MPI_Request request;
  MPI_Grequest_start(query, (int (*)(void*))(void (*)(void))MPI_Comm_free, cancel, &made, &request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  REQUIRE(made == MPI_COMM_NULL);
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, say_goodbye, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  return end("callbacks");
}
