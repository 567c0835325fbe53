"""What the benchmarks serve that is not a folder of files from a package."""
