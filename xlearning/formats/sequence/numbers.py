"""Hadoop's numbers of variable length, and Java's texts of floating-point numbers."""

from __future__ import annotations

import math
import struct

_FLOAT = struct.Struct(">f")


def vlong_size(first: int) -> int:
    """Bytes of a number whose first byte is ``first`` (0..255)."""
    if first < 128 or first >= 144:
        return 1
    return 137 - first if first < 136 else 145 - first


def vlong(data: bytes, at: int = 0) -> tuple[int, int]:
    """``(number, index after it)`` of the number at ``data[at]``.

    Raises
    ------
    IndexError
        ``data`` ends before it.
    """
    first = data[at]
    size = vlong_size(first)
    if size == 1:
        return (first if first < 128 else first - 256), at + 1
    if at + size > len(data):
        raise IndexError("a number of variable length is cut off")
    number = int.from_bytes(data[at + 1 : at + size], "big")
    return (~number if first < 136 else number), at + size


def write_vlong(number: int) -> bytes:
    """The shortest form of ``number``, a signed number of 64 bits."""
    if -112 <= number <= 127:
        return number.to_bytes(1, "big", signed=True)
    base, rest = (136, ~number) if number < 0 else (144, number)
    size = (rest.bit_length() + 7) // 8
    return bytes((base - size,)) + rest.to_bytes(size, "big")


def double_text(number: float) -> str:
    """As Java's ``Double.toString`` (since Java 19: the shortest text that means this number)."""
    if not math.isfinite(number):
        return _odd(number)
    text = repr(abs(number))
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    if len(digits.rstrip("0")) < 2:  # Java has two where one would do, and they may say more
        return _java(number, f"{abs(number):.1e}")
    first = len(whole) if whole != "0" else len(digits) - len(fraction)
    return _java(number, f"{digits[0]}.{digits[1:]}e{first - 1 + int(exponent or 0)}")


def float_text(number: float) -> str:
    """As Java's ``Float.toString``; ``number`` is one of 32 bits."""
    if not math.isfinite(number):
        return _odd(number)
    text = ""
    for digits in range(2, 10):
        text = f"{abs(number):.{digits - 1}e}"
        try:
            if _FLOAT.unpack(_FLOAT.pack(float(text)))[0] == abs(number):
                break
        except OverflowError:  # rounded up beyond the largest number
            continue
    return _java(number, text)


def _odd(number: float) -> str:
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def _java(number: float, text: str) -> str:
    sign = "-" if math.copysign(1.0, number) < 0 else ""
    mantissa, _, exponent = text.partition("e")
    power = int(exponent)
    digits = mantissa.replace(".", "").rstrip("0") or "0"
    if digits == "0":
        return f"{sign}0.0"
    if not -3 <= power < 7:
        return f"{sign}{digits[0]}.{digits[1:] or '0'}E{power}"
    if power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}"
    digits = digits.ljust(power + 1, "0")
    return f"{sign}{digits[: power + 1]}.{digits[power + 1 :] or '0'}"
