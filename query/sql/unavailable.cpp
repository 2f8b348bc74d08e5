// SPDX-License-Identifier: Apache-2.0
#include "query/sql_query.hpp"

namespace meridian {

Status run_sql(const QueryTrace&, const std::string&, QuerySink&) {
  return Error{Errc::unsupported, "cannot run the query: this build of Meridian has no SQLite",
               "build it with libsqlite3-dev, or look at `meridian events` and `meridian export --format csv`"};
}

}  // namespace meridian
