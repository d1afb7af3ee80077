# Writes OUTPUT with a hash of every file of FILES (a list separated by '|',
# paths relative to ROOT) and of EXTRA:
# cmake -DOUTPUT=.. -DROOT=.. -DFILES=.. -DEXTRA=.. -P BuildId.cmake
string(REPLACE "|" ";" files "${FILES}")
list(SORT files)
set(all "${EXTRA}\n")
foreach(file IN LISTS files)
  file(SHA256 "${ROOT}/${file}" hash)
  string(APPEND all "${file} ${hash}\n")
endforeach()
string(SHA256 id "${all}")
file(WRITE "${OUTPUT}" "#define WEFT_BUILD_ID \"${id}\"\n")
