// SPDX-License-Identifier: Apache-2.0
// Uses HDF5 itself, with an error handler of its own: before MPI_Init, while it computes, and after MPI_Finalize.
//
// own_hdf5 DIRECTORY
#include <hdf5.h>
#include <link.h>
#include <string.h>

#include "manners.h"

enum { VALUES = 20000 };

static int complaints;

static herr_t complain(hid_t stack, void* context) {
  (void)stack;
  (void)context;
  ++complaints;
  return 0;
}

static int count_library(struct dl_phdr_info* object, size_t bytes, void* count) {
  (void)bytes;
  if (object->dlpi_name != NULL && strstr(object->dlpi_name, "libhdf5") != NULL) ++*(int*)count;
  return 0;
}

static void use(const char* directory, const char* when) {
  static int values[VALUES];
  char path[4096];
  long sum = 0;
  snprintf(path, sizeof path, "%s/own-%d.h5", directory, (int)getpid());
  const hsize_t length = VALUES, chunk = 1000;
  for (int i = 0; i < VALUES; ++i) values[i] = i;
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &length, NULL);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, 1, &chunk);
  H5Pset_deflate(properties, 1);
  const hid_t data = H5Dcreate2(file, "values", H5T_NATIVE_INT, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  const int written = H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  memset(values, 0, sizeof values);
  const int read = H5Dread(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  for (int i = 0; i < VALUES; ++i) sum += values[i];
  const hid_t none = H5Fopen("/nonexistent/none.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
  H5E_auto2_t handler = NULL;
  void* context = NULL;
  H5Eget_auto2(H5E_DEFAULT, &handler, &context);
  say("%s: written %d, read %d, sum %ld, no file %d, %d complaints, handler %d, %d open", when, written, read, sum,
      none < 0, complaints, handler == complain && context == &complaints,
      (int)H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL));
  H5Dclose(data);
  H5Pclose(properties);
  H5Sclose(space);
  H5Fclose(file);
  unlink(path);
}

int main(int argc, char** argv) {
  if (argc != 2) return 3;
  H5Eset_auto2(H5E_DEFAULT, complain, &complaints);
  use(argv[1], "before");
  begin(&argc, &argv);
  exchange();
  use(argv[1], "meanwhile");
  int libraries = 0;
  dl_iterate_phdr(count_library, &libraries);
  say("libraries of HDF5: %d", libraries);
  exchange();
  MPI_Finalize();
  use(argv[1], "after");
  return last_code(7);
}
