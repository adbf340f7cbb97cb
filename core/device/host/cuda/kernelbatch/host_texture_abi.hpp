// What a kernel compiled for the host and the host device agree on about textures: a texture
// object's handle is the address of one of these.
#pragma once

namespace kernelbatch_host {

enum TexelKind { kTexelSigned = 0, kTexelUnsigned = 1, kTexelFloat = 2 };
enum AddressMode { kAddressWrap = 0, kAddressClamp = 1, kAddressMirror = 2, kAddressBorder = 3 };

struct Texture {
  unsigned char* data;
  long long extent[3];  ///< in texels; 1 for an axis that is not there
  long long row_bytes, slice_bytes;
  int kind, bits, channels;
  int address[3];
  bool is_linear, reads_normalized, is_normalized;
  float border[4];
};

}  // namespace kernelbatch_host
