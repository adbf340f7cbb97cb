/* The C handshake between kernelbatch and a workload plugin: append-only, never reordered. */
#ifndef KERNELBATCH_PLUGIN_ABI_H
#define KERNELBATCH_PLUGIN_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KERNELBATCH_PLUGIN_MAGIC 0x4b42504cu /* "KBPL" */
#define KERNELBATCH_PLUGIN_ABI 1u

/* Checked in this order; nothing later is read where something earlier does not match. */
typedef struct kernelbatch_plugin {
  uint32_t magic;
  uint32_t abi;
  uint32_t struct_size; /* sizeof(kernelbatch_plugin) of the plugin's build */
  uint32_t reserved;
  const char* build_tag; /* compiler, standard, hash of the interface headers */
  const char* name;      /* the workload's */
  void* (*create)(void); /* a new kernelbatch::Workload*; valid only if build_tag matches */
} kernelbatch_plugin;

typedef const kernelbatch_plugin* (*kernelbatch_plugin_function)(void);

/* The one symbol that a plugin exports: const kernelbatch_plugin* kernelbatch_plugin_v1(void); */
#define KERNELBATCH_PLUGIN_SYMBOL "kernelbatch_plugin_v1"

#ifdef __cplusplus
}
#endif

#endif
