"""Pictures of results: the plot of MFU against step time, bars, areas."""
