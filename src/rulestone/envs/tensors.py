"""Arrays on a GPU as other libraries take them: by DLPack and `__cuda_array_interface__`, without a copy.

`torch.from_dlpack(env.mask)`, `jax.dlpack.from_dlpack(env.mask)` and `cupy.asarray(env.mask)` show the same memory.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.engine.gpu import check, simulated

CPU, CUDA = 1, 2
"""DLPack's numbers for the computer's own memory and for NVIDIA GPUs."""
CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
NAME = b"dltensor"


class _Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("number", ctypes.c_int32)]


class _Kind(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _Kind),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


_lent: dict[int, Any] = {}
"""What others have taken and not yet given back, by the address of its description: it stays alive as long."""


_Ending = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def _give_back(address: int) -> None:
    _lent.pop(address, None)


def _forget(capsule: int) -> None:
    """Nobody has taken what is in the capsule."""
    python = ctypes.pythonapi
    if python.PyCapsule_IsValid(ctypes.c_void_p(capsule), NAME):
        _lent.pop(python.PyCapsule_GetPointer(ctypes.c_void_p(capsule), NAME), None)


_on_return, _on_neglect = _Ending(_give_back), _Ending(_forget)

ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
ctypes.pythonapi.PyCapsule_New.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
ctypes.pythonapi.PyCapsule_GetPointer.restype = ctypes.c_void_p


class Tensor:
    """An array on the GPU. `host()` copies it to a NumPy array; a field of records is `records["grid"]`."""

    def __init__(self, array: Any, dtype: np.dtype[Any] | None = None, field: str | None = None) -> None:
        self.array = array
        """The array as numba-cuda's kernels take it."""
        self.field = field
        """The field of the records that it shows, if it is one."""
        whole = np.dtype(array.dtype) if dtype is None else dtype
        place: Any = whole.fields[field] if field is not None and whole.fields else None
        inner = place[0] if place else whole
        self.offset = int(place[1]) if place else 0
        self.dtype: np.dtype[Any] = inner.base
        self.shape: tuple[int, ...] = (*array.shape, *inner.shape)
        steps = [self.dtype.itemsize]
        for length in reversed(inner.shape):
            steps.append(steps[-1] * length)
        self.strides: tuple[int, ...] = (*array.strides, *reversed(steps[:-1])) if inner.shape else tuple(array.strides)
        self.stream = 0
        """The stream whose work must be done before others read."""

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<Tensor {self.dtype} {self.shape} on the GPU>"

    def __getitem__(self, field: str) -> Tensor:
        """A field of records, as a view of the same memory."""
        if self.field is not None or not np.dtype(self.array.dtype).fields or field not in np.dtype(self.array.dtype).fields:
            raise KeyError(f"there is no field {field!r} here")
        return Tensor(self.array, field=field)

    def host(self) -> NDArray[Any]:
        """A copy in the computer's own memory."""
        copy: NDArray[Any] = self.array.copy_to_host()
        return copy if self.field is None else copy[self.field].copy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.host() if dtype is None else self.host().astype(dtype)

    def copy_from(self, values: NDArray[Any]) -> None:
        """Overwrite it with values from the computer's own memory."""
        self.array.copy_to_device(np.ascontiguousarray(values, self.dtype))

    @property
    def pointer(self) -> int:
        """The address of its first number on the GPU."""
        description = self.array.__array_interface__ if simulated() else self.array.__cuda_array_interface__
        return int(description["data"][0]) + self.offset

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        description: list[Any] = self.dtype.descr if self.dtype.fields else [("", self.dtype.str)]
        return {
            "shape": self.shape,
            "strides": self.strides,
            "typestr": self.dtype.str,
            "descr": description,
            "data": (self.pointer, False),
            "stream": self.stream or 1,
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU if simulated() else CUDA, 0

    def __dlpack__(self, *, stream: int | None = None, **wishes: Any) -> Any:
        """Lend the memory; see https://data-apis.org/array-api/latest. The consumer's stream waits for ours."""
        if self.dtype.kind not in CODES:
            raise BufferError("records can't be lent as a whole; lend a field, such as records['grid']")
        here = self.__dlpack_device__()
        if wishes.get("copy") or (wishes.get("dl_device") or here) != here:
            raise BufferError("memory on the GPU is lent there, without a copy")
        if stream not in (None, -1) and (stream or 1) != (self.stream or 1):
            check().external_stream(self.stream or 1).synchronize()
        dimensions = len(self.shape)
        lengths = (ctypes.c_int64 * dimensions)(*self.shape)
        steps = (ctypes.c_int64 * dimensions)(*(stride // self.dtype.itemsize for stride in self.strides))
        kind = _Kind(CODES[self.dtype.kind], 8 * self.dtype.itemsize, 1)
        inner = _Tensor(self.pointer, _Device(*here), dimensions, kind, lengths, steps, 0)
        managed = _Managed(inner, None, ctypes.cast(_on_return, ctypes.c_void_p))
        address = ctypes.addressof(managed)
        _lent[address] = managed, lengths, steps, self.array
        return ctypes.pythonapi.PyCapsule_New(address, NAME, ctypes.cast(_on_neglect, ctypes.c_void_p))
