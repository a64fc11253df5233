"""The pages under the plot."""
