"""How many nodes, what runs on each, and what lies between them, in one word:
NODESxPROCESSES[xTHREADS][vRANKS][dMICROSECONDS][mMEGABITS]. PROCESSES on each node, THREADS ranks in each process (one unless
said), or RANKS virtual ones in all; a message takes MICROSECONDS from node to node, a node sends MEGABITS in a second at most."""

import os
import re

from cluster import Cluster


class Shape:
    def __init__(self, text, folder):
        found = re.fullmatch(r"(\d+)x(\d+)(?:x(\d+))?(?:v(\d+))?(?:d(\d+))?(?:m(\d+))?", text)
        self.nodes, self.per_node, self.threads, self.virtual, self.delay_us, self.megabits = (int(each or 0) for each in found.groups())
        self.processes = self.nodes * self.per_node
        self.folder = folder  # of this test's programs; those of others are in its parents

    def environment(self):
        """What makes a job one of that shape."""
        return {name: str(value) for name, value in (("ARMATURE_THREADS", self.threads), ("ARMATURE_VIRTUAL", self.virtual)) if value}

    def cluster(self, nodes=0):
        return Cluster(nodes or self.nodes, delay_us=self.delay_us, megabits=self.megabits, relay=self.program("relay"))

    def program(self, name):
        return os.path.join(self.folder, name)

    def hosted_by(self, processes):
        """So many ranks."""
        if self.virtual:
            return processes * self.virtual // self.processes
        return processes * (self.threads or 1)
