"""A screenshot's pixels, for what only a picture shows."""

from __future__ import annotations

import struct
import zlib


def grey(png: bytes, *, top: int, bottom: int, left: int, right: int) -> list[list[int]]:
    """The red channel of a part of an 8-bit RGB(A) PNG. https://www.w3.org/TR/png-3/#9Filters"""
    width, _height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert depth == 8
    size = {2: 3, 6: 4}[kind]
    data, at = b"", 8
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        data += png[at + 8 : at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    raw = zlib.decompress(data)
    rows, before = [], bytearray(right * size)
    for y in range(bottom):
        start = y * (width * size + 1)
        # What is to the right of the part decides nothing in it.
        before = _unfiltered(raw[start], bytearray(raw[start + 1 : start + 1 + right * size]), before, size)
        if y >= top:
            rows.append(list(before[left * size :: size]))
    return rows


def _unfiltered(kind: int, line: bytearray, above: bytearray, size: int) -> bytearray:
    for i in range(len(line)):
        a = line[i - size] if i >= size else 0
        b = above[i]
        c = above[i - size] if i >= size else 0
        if kind == 1:
            line[i] = (line[i] + a) & 255
        elif kind == 2:
            line[i] = (line[i] + b) & 255
        elif kind == 3:
            line[i] = (line[i] + (a + b) // 2) & 255
        elif kind == 4:
            nearest = min((a, b, c), key=lambda value: abs(a + b - c - value))
            line[i] = (line[i] + nearest) & 255
    return line
