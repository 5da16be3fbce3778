"""What a figure takes: seconds of one measurement on two quiet cores, of the sizes without --full, rounded up. By these a
run knows whether a figure that is in doubt can be measured again, and when one takes far too long."""

SECONDS = {
    "armi-rmi-2003.table-1": 2, "armi-rmi-2003.table-2": 4, "armi-rmi-2003.6": 10, "armi-rmi-2003.7": 15,
    "armi-rmi-2003.8": 45, "armi-rmi-2003.9": 50, "armi-rmi-2003.10": 22,
    "armci-rma-2006.table-1": 10, "armci-rma-2006.14": 8, "armci-rma-2006.15": 12, "armci-rma-2006.16": 8,
    "armci-rma-2006.17": 8, "armci-rma-2006.18": 6, "armci-rma-2006.19": 6, "armci-rma-2006.20": 10,
    "armci-rma-2006.21": 25, "armci-rma-2006.22": 30, "armci-rma-2006.23": 20, "armci-rma-2006.24": 10,
    "armci-on-charm-2006.2": 2, "armci-on-charm-2006.table-1": 10, "armci-on-charm-2006.4": 4,
    "armci-on-charm-2006.5": 4, "armci-on-charm-2006.6": 40,
    "armci-smp-clusters-2000.table-1": 4, "armci-smp-clusters-2000.3": 6, "armci-smp-clusters-2000.4": 6,
    "armci-smp-clusters-2000.5": 45, "armci-smp-clusters-2000.6": 45, "armci-smp-clusters-2000.7": 35,
    "armci-1999.4": 3, "armci-1999.5": 4, "armci-1999.6": 25}
