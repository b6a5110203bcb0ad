"""Find instructions that were injected into a prompt, a document or a response."""

from groundwire.injection.detector import InjectionDetector

__all__ = ["InjectionDetector"]
