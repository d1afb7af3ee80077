/*===- installed.c - Uses an installed weft from C99 ----------------------===*/

#include <weft.h>

#include <stdio.h>

int main(void) {
  weft_spec spec;
  char *text = NULL;
  weft_spec_init(&spec, sizeof spec);
  spec.head_dim = 64;
  if (weft_spec_format(&spec, &text) != WEFT_OK) {
    fprintf(stderr, "%s\n", weft_last_error());
    return 1;
  }
  printf("weft %s, interface %u: %s\n", weft_version(),
         (unsigned)weft_abi_version(), text);
  weft_free(text);
  return weft_abi_version() < WEFT_ABI_VERSION;
}
