# capstan_sources(<out> <pattern>...) lists the files that match, below the folder of each pattern
# too. The next build detects added and removed files.
macro(capstan_sources out)
  file(GLOB_RECURSE ${out} CONFIGURE_DEPENDS LIST_DIRECTORIES false ${ARGN})
endmacro()
