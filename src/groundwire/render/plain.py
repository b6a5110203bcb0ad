"""Make hostile characters visible without moving any offset."""

# One character stands for one character, so that spans still fit. Control
# characters would drive a terminal, bidirectional overrides would show a text
# in an order it does not have, unpaired surrogates cannot be written at all.
_CONTROLS = {code: 0x2400 + code for code in range(0x20)}
_VISIBLE: dict[int, int] = {
    **dict.fromkeys(range(0xD800, 0xE000), 0xFFFD),
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
    **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD),
    **_CONTROLS,
    0x7F: 0x2421,
}
_LINE_BREAKS = {code: ord(" ") for code in (0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029)}
_FLAT = {**_VISIBLE, **_LINE_BREAKS}
_KEPT_LINES = {**_VISIBLE, 0x09: 0x09, 0x0A: 0x0A, 0x0D: 0x20, 0x2028: 0x0A, 0x2029: 0x0A, 0x85: 0x0A}


def visible(text: str) -> str:
    """Replace each harmful character by one that shows, each line break by a space."""
    return text.translate(_FLAT)


def visible_lines(text: str) -> str:
    """Replace each harmful character by one that shows and keep the lines."""
    return text.translate(_KEPT_LINES)
