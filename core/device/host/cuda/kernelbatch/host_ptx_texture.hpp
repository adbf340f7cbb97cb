// Asked for by: __kernelbatch_ptx_texel.
// Elements of surfaces in PTX.
#pragma once

template <class T, int Count>
struct __kernelbatch_ptx_texel {
  T _of[Count];
};
