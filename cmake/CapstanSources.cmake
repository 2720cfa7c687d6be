# capstan_sources(<out> <pattern>...) lists the files that match, below the folder of each pattern
# too. A file that comes or goes is noticed by the next build.
macro(capstan_sources out)
  file(GLOB_RECURSE ${out} CONFIGURE_DEPENDS LIST_DIRECTORIES false ${ARGN})
endmacro()
