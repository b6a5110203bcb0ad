"""Does this physical command stay within its limits?"""

from groundwire.hooks.physical.guard import PhysicalGrounding

__all__ = ["PhysicalGrounding"]
