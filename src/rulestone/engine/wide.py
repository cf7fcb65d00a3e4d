"""How records are copied on a GPU: in words of 64 bits. (Numba would copy them byte by byte, which a GPU does eight times as slowly.)

Importing this registers the way with numba-cuda.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.cuda import cgutils, types
from numba.cuda.cudaimpl import lower
from numba.cuda.np import arrayobj

WORD = 8
UNROLLED, AT_ONCE = 32, 8
"""Up to how many words are copied without a loop; how many in each turn of one."""


@lower(operator.setitem, types.Array, types.Integer, types.Record)  # type: ignore[untyped-decorator]
def copy_record(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """`records[place] = record`."""
    kind, place_kind, record = signature.args
    if kind.ndim != 1 or kind.dtype != record or record.size % WORD or not (record.aligned and kind.aligned):
        return arrayobj.setitem_array(context, builder, signature, arguments)
    records = arrayobj.make_array(kind)(context, builder, arguments[0])
    place = context.cast(builder, arguments[1], place_kind, types.intp)
    there = cgutils.get_item_pointer(context, builder, kind, records, [place], wraparound=place_kind.signed)
    word = ir.IntType(8 * WORD)
    to, source = (builder.bitcast(pointer, word.as_pointer()) for pointer in (there, arguments[2]))

    def copy(first: Any, count: int) -> None:
        places = [builder.add(first, ir.Constant(word, k)) for k in range(count)]
        words = [builder.load(builder.gep(source, [at]), align=WORD) for at in places]
        for at, value in zip(places, words, strict=True):
            builder.store(value, builder.gep(to, [at]), align=WORD)

    count = record.size // WORD
    looped = 0 if count <= UNROLLED else count // AT_ONCE * AT_ONCE
    if looped:
        edges = (ir.Constant(word, number) for number in (0, looped, AT_ONCE))
        with cgutils.for_range_slice(builder, *edges) as (first, _):
            copy(first, AT_ONCE)
    copy(ir.Constant(word, looped), count - looped)
    return context.get_dummy_value()
