/* SPDX-License-Identifier: Apache-2.0 */
/* The user macros of Score-P as user events of Meridian, for programs that have them already: compile with -DSCOREP_USER_ENABLE and
 * -I.../include/meridian/for_scorep -I.../include instead of Score-P's. Names need not be literals; the first name of a handle counts. Regions are
 * properly nested in a thread. Without SCOREP_USER_ENABLE, as with Score-P, all of it is compiled out. Types of regions, groups and
 * parameters have no meaning here. */
#ifndef MERIDIAN_SCOREP_USER_H
#define MERIDIAN_SCOREP_USER_H

#define SCOREP_USER_REGION_TYPE_COMMON 0
#define SCOREP_USER_REGION_TYPE_FUNCTION 1
#define SCOREP_USER_REGION_TYPE_LOOP 2
#define SCOREP_USER_REGION_TYPE_DYNAMIC 4
#define SCOREP_USER_REGION_TYPE_PHASE 8
#define SCOREP_USER_METRIC_TYPE_INT64 0
#define SCOREP_USER_METRIC_TYPE_UINT64 1
#define SCOREP_USER_METRIC_TYPE_DOUBLE 2
#define SCOREP_USER_METRIC_CONTEXT_GLOBAL 0
#define SCOREP_USER_METRIC_CONTEXT_CALLPATH 1

#ifdef SCOREP_USER_ENABLE

#include <meridian/user.h>

/* A region or metric: its place for the tracer, and its name, which is known before the tracer is ready. */
struct meridian_scorep_ {
#ifndef MERIDIAN_DISABLE
  struct meridian_site_ site;
#endif
  const char* name;
};

#ifdef MERIDIAN_DISABLE
#define MERIDIAN_NAMED_(handle, kind, what, ...) ((void)(handle).name)
#else
#define MERIDIAN_NAMED_(handle, kind, what, ...)                                                                \
  do {                                                                                                          \
    MERIDIAN_ASK_(meridian_gate_, &(handle).site, kind, (kind) == MERIDIAN_KIND_COUNTER ? "counter" : "region", \
                  (handle).name);                                                                               \
    if (MERIDIAN_IS_OPEN_(meridian_gate_)) {                                                                    \
      const uint64_t meridian_words_[] = {__VA_ARGS__};                                                         \
      meridian_gate_->record(meridian_gate_, what, meridian_words_);                                            \
    }                                                                                                           \
  } while (0)
#endif

#define MERIDIAN_NAME_(handle, text) ((handle).name != 0 ? (void)0 : (void)((handle).name = (text)))

#define SCOREP_USER_REGION_HANDLE struct meridian_scorep_
#define SCOREP_USER_REGION_DEFINE(handle) static struct meridian_scorep_ handle;
#define SCOREP_GLOBAL_REGION_DEFINE(handle) struct meridian_scorep_ handle;
#define SCOREP_GLOBAL_REGION_EXTERNAL(handle) extern struct meridian_scorep_ handle;
#define SCOREP_USER_REGION_INIT(handle, text, type) MERIDIAN_NAME_(handle, text);
#define SCOREP_USER_REGION_ENTER(handle) MERIDIAN_NAMED_(handle, MERIDIAN_KIND_REGION, MERIDIAN_BEGINS, 0);
#define SCOREP_USER_REGION_BEGIN(handle, text, type) \
  MERIDIAN_NAME_(handle, text);                      \
  SCOREP_USER_REGION_ENTER(handle)
#define SCOREP_USER_REGION_END(handle) MERIDIAN_NAMED_(handle, MERIDIAN_KIND_REGION, MERIDIAN_ENDS, 0);
#define SCOREP_USER_OA_PHASE_BEGIN(handle, text, type) SCOREP_USER_REGION_BEGIN(handle, text, type)
#define SCOREP_USER_OA_PHASE_END(handle) SCOREP_USER_REGION_END(handle)

#define SCOREP_USER_FUNC_DEFINE()
#define SCOREP_USER_FUNC_BEGIN()                     \
  static struct meridian_scorep_ meridian_function_; \
  SCOREP_USER_REGION_BEGIN(meridian_function_, __func__, 0)
#define SCOREP_USER_FUNC_END() SCOREP_USER_REGION_END(meridian_function_)

#ifdef __cplusplus
#define SCOREP_USER_REGION(name, type) MERIDIAN_REGION(name)
#endif

#define SCOREP_USER_PARAMETER_DEFINE(handle)
#define SCOREP_USER_PARAMETER_INT64(handle, name, value) ((void)(value));
#define SCOREP_USER_PARAMETER_UINT64(handle, name, value) ((void)(value));
#define SCOREP_USER_PARAMETER_STRING(handle, name, value) ((void)(value));

#define SCOREP_USER_METRIC_LOCAL(metric) static struct meridian_scorep_ metric;
#define SCOREP_USER_METRIC_GLOBAL(metric) struct meridian_scorep_ metric;
#define SCOREP_USER_METRIC_EXTERNAL(metric) extern struct meridian_scorep_ metric;
#define SCOREP_USER_METRIC_INIT(metric, text, unit, type, context) MERIDIAN_NAME_(metric, text);
#define SCOREP_USER_METRIC_DOUBLE(metric, value) \
  MERIDIAN_NAMED_(metric, MERIDIAN_KIND_COUNTER, MERIDIAN_HAPPENED, MERIDIAN_FIELD_f64((double)(value)));
#define SCOREP_USER_METRIC_INT64(metric, value) SCOREP_USER_METRIC_DOUBLE(metric, value)
#define SCOREP_USER_METRIC_UINT64(metric, value) SCOREP_USER_METRIC_DOUBLE(metric, value)

#define SCOREP_RECORDING_ON() MERIDIAN_ON();
#define SCOREP_RECORDING_OFF() MERIDIAN_OFF();
#define SCOREP_RECORDING_IS_ON() 1

#else

#define SCOREP_USER_REGION_HANDLE int
#define SCOREP_USER_REGION_DEFINE(handle)
#define SCOREP_GLOBAL_REGION_DEFINE(handle)
#define SCOREP_GLOBAL_REGION_EXTERNAL(handle)
#define SCOREP_USER_REGION_INIT(handle, name, type)
#define SCOREP_USER_REGION_BEGIN(handle, name, type)
#define SCOREP_USER_REGION_ENTER(handle)
#define SCOREP_USER_REGION_END(handle)
#define SCOREP_USER_OA_PHASE_BEGIN(handle, name, type)
#define SCOREP_USER_OA_PHASE_END(handle)
#define SCOREP_USER_FUNC_DEFINE()
#define SCOREP_USER_FUNC_BEGIN()
#define SCOREP_USER_FUNC_END()
#define SCOREP_USER_REGION(name, type)
#define SCOREP_USER_PARAMETER_DEFINE(handle)
#define SCOREP_USER_PARAMETER_INT64(handle, name, value)
#define SCOREP_USER_PARAMETER_UINT64(handle, name, value)
#define SCOREP_USER_PARAMETER_STRING(handle, name, value)
#define SCOREP_USER_METRIC_LOCAL(metric)
#define SCOREP_USER_METRIC_GLOBAL(metric)
#define SCOREP_USER_METRIC_EXTERNAL(metric)
#define SCOREP_USER_METRIC_INIT(metric, name, unit, type, context)
#define SCOREP_USER_METRIC_INT64(metric, value)
#define SCOREP_USER_METRIC_UINT64(metric, value)
#define SCOREP_USER_METRIC_DOUBLE(metric, value)
#define SCOREP_RECORDING_ON()
#define SCOREP_RECORDING_OFF()
#define SCOREP_RECORDING_IS_ON() 0

#endif
#endif
