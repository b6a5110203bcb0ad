"""Stop a wrong answer while it is being written."""

from groundwire.stream.certainty import certainty
from groundwire.stream.claims import AsyncClaimStream, ClaimStream
from groundwire.stream.gate import StreamMode
from groundwire.stream.kernel import AsyncStreamingKernel, StreamingKernel

__all__ = ["AsyncClaimStream", "AsyncStreamingKernel", "ClaimStream", "StreamMode", "StreamingKernel", "certainty"]
