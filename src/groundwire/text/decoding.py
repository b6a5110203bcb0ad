"""Bytes that should be UTF-8 text."""

from groundwire.errors import InputError


def decode_text(data: bytes, name: str) -> str:
    """Decode UTF-8 and say where it is broken; `name` begins the message ("the file 'x'")."""
    subject = name[0].upper() + name[1:]
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{subject} is UTF-16.", fix="save it as UTF-8")
    if b"\0" in data:
        raise InputError(
            f"{subject} is binary.", why=f"there is a NUL byte at offset {data.index(0)}", fix="give a plain text file"
        )
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{subject} is not UTF-8.",
            why=f"byte 0x{data[error.start]:02x} at offset {error.start} does not fit",
            fix="save it as UTF-8",
        ) from error
