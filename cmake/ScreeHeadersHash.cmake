# Writes OUT, a header with SCREE_HEADERS_HASH: the SHA-256 of "NAME HASH\n" for each public header of
# DIRECTORY in the order of their names. tools/write-python computes the same.
file(GLOB headers ${DIRECTORY}/*.h)
list(SORT headers)
set(text "")
foreach(header ${headers})
  get_filename_component(name ${header} NAME)
  file(SHA256 ${header} hash)
  string(APPEND text "${name} ${hash}\n")
endforeach()
string(SHA256 hash "${text}")
file(WRITE ${OUT} "#define SCREE_HEADERS_HASH \"${hash}\"\n")
