"""Agents of a Colony on Pekko, asked and followed over HTTP. Begin with Colony."""

from ._client import Colony, Run
from ._http import ColonyError, RunFailed

__all__ = ["Colony", "ColonyError", "Run", "RunFailed"]
