"""Signals to processes that may be about to end."""

import os
import signal


def signal_each(pids, number=signal.SIGKILL):
    """The death of the first can end the others before it is their turn, so whoever is gone is left out."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass
