-- SPDX-License-Identifier: Apache-2.0
-- Module file for Lmod. Link it into a folder of MODULEPATH, as meridian/VERSION.lua: the prefix is found from where the
-- link leads, PREFIX/share/meridian/meridian.lua. Or give it: MERIDIAN_PREFIX.
help([[Meridian traces MPI programs: mpirun -n 4 meridian run ./app; meridian merge latest]])
whatis("Name: Meridian")
whatis("Description: Tracer for MPI programs")

local prefix = os.getenv("MERIDIAN_PREFIX")
if not prefix or prefix == "" then
  local file = capture("readlink -f '" .. myFileName():gsub("'", "'\\''") .. "'"):gsub("%s+$", "")
  prefix = file:gsub("/share/meridian/[^/]*$", "")
end

prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
append_path("MANPATH", "")  -- the pages of the system, too
prepend_path("CMAKE_PREFIX_PATH", prefix)
prepend_path("PKG_CONFIG_PATH", pathJoin(prefix, "lib/pkgconfig"))
prepend_path("PYTHONPATH", pathJoin(prefix, "lib/python3/dist-packages"))
