"""What a figure takes on two quiet cores, of the sizes without --full: seconds of one measurement, by which a run knows
that a figure takes far too long; and seconds in which claims in doubt are measured again. Both are the same in each run,
so that claims are measured as often in one as in another. Together they end within 19 minutes."""

SECONDS = {
    "armi-rmi-2003.table-1": 2, "armi-rmi-2003.table-2": 2, "armi-rmi-2003.6": 8, "armi-rmi-2003.7": 12,
    "armi-rmi-2003.8": 42, "armi-rmi-2003.9": 60, "armi-rmi-2003.10": 15,
    "armci-rma-2006.table-1": 9, "armci-rma-2006.14": 3, "armci-rma-2006.15": 5, "armci-rma-2006.16": 4,
    "armci-rma-2006.17": 4, "armci-rma-2006.18": 3, "armci-rma-2006.19": 4, "armci-rma-2006.20": 4,
    "armci-rma-2006.21": 26, "armci-rma-2006.22": 24, "armci-rma-2006.23": 18, "armci-rma-2006.24": 20,
    "armci-on-charm-2006.2": 1, "armci-on-charm-2006.table-1": 4, "armci-on-charm-2006.4": 4,
    "armci-on-charm-2006.5": 3, "armci-on-charm-2006.6": 32,
    "armci-smp-clusters-2000.table-1": 2, "armci-smp-clusters-2000.3": 4, "armci-smp-clusters-2000.4": 3,
    "armci-smp-clusters-2000.5": 43, "armci-smp-clusters-2000.6": 44, "armci-smp-clusters-2000.7": 25,
    "armci-1999.4": 1, "armci-1999.5": 1, "armci-1999.6": 6}

# Of figures with a claim near to its border. Others are in doubt on a disturbed machine alone.
AGAIN = {
    "armi-rmi-2003.6": 35, "armi-rmi-2003.7": 40, "armi-rmi-2003.8": 70, "armi-rmi-2003.9": 85, "armi-rmi-2003.10": 35,
    "armci-rma-2006.15": 50, "armci-rma-2006.16": 18, "armci-rma-2006.17": 18, "armci-rma-2006.19": 25,
    "armci-rma-2006.20": 20, "armci-rma-2006.21": 60, "armci-rma-2006.22": 70, "armci-on-charm-2006.6": 30,
    "armci-smp-clusters-2000.6": 85, "armci-smp-clusters-2000.7": 30}
AGAIN_OTHERS = 10
# Of a run, for claims that a disturbance has put in doubt and that are not measured five times yet.
RESERVE = 120
